/** Asks the app through its Gradio API: one POST that names the claim, then a stream that ends with the answer. */

import { AnswerError, parseResult } from "./result.js";
import { parseText } from "./text.js";

export const LONGEST_CLAIM = 2_000;
export const LONGEST_TEXT = 200_000;
export const PATIENCE_MS = 65_000;
const TEXT_PATIENCE_MS = 900_000;
const TEXT_CLAIMS = 50;
const LARGEST_ANSWER = 2_000_000;
const LARGEST_TEXT_ANSWER = 100_000_000; // each answer holds those before it
const START = "Start it with “make run” in its folder, then try again.";

/** A check that failed. `kind` says how; the message says so to a person, with what can be done. */
export class CheckError extends Error {
  /**
   * @param {"claim"|"unreachable"|"forbidden"|"busy"|"timeout"|"cancelled"|"refused"|"foreign"} kind
   * @param {string} message
   */
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

/**
 * The claim as it will be sent: white space collapsed.
 * @param {string} typed
 * @throws {CheckError}
 */
export function parseClaim(typed) {
  const claim = typed.replace(/\s+/gu, " ").trim();
  const length = [...claim].length;
  if (!claim) throw new CheckError("claim", "There is no text to check: select or type a statement.");
  if (length > LONGEST_CLAIM) {
    throw new CheckError("claim", `The text has ${length} characters; ${LONGEST_CLAIM} are allowed. Choose the sentence that matters.`);
  }
  return claim;
}

/**
 * Check a claim.
 * @param {string} server the address, ending in a slash
 * @param {string} claim
 * @param {boolean} web whether the app may search the web
 * @param {AbortSignal} signal cancels the check
 * @returns {Promise<object>} what `parseResult` returns
 * @throws {CheckError}
 */
export async function verify(server, claim, web, signal) {
  return ask(server, "verify", { claim, web }, { patience: PATIENCE_MS, signal, parse: parseResult });
}

/**
 * Check the statements of a whole text, the most checkworthy first.
 * @param {string} server the address, ending in a slash
 * @param {string} text up to LONGEST_TEXT characters
 * @param {boolean} web whether the app may search the web
 * @param {AbortSignal} signal cancels the check
 * @param {(answer: object) => void} tell gets each answer as `parseText` returns it
 * @returns {Promise<object>} the last answer, which holds everything
 * @throws {CheckError}
 */
export async function verifyText(server, text, web, signal, tell) {
  const values = { text, web, max_claims: TEXT_CLAIMS };
  const how = { patience: TEXT_PATIENCE_MS, signal, parse: parseText, largest: LARGEST_TEXT_ANSWER, tell };
  return ask(server, "verify_text", values, how);
}

/**
 * Ask whether the app is there and ready.
 * @param {string} server
 * @returns {Promise<{status: string, size: number, error: string}>}
 * @throws {CheckError}
 */
export async function health(server) {
  const parse = (answer) => {
    if (typeof answer?.status !== "string") throw new AnswerError("the answer has no status");
    const size = Number.isInteger(answer.kb_size) ? answer.kb_size : 0;
    return { status: answer.status.slice(0, 20), size, error: String(answer.error ?? "").slice(0, 300) };
  };
  return ask(server, "health", {}, { patience: 10_000, signal: new AbortController().signal, parse });
}

/** `tell` gets what comes before the last answer, where that is wanted. */
async function ask(server, endpoint, values, { patience, signal, parse, largest = LARGEST_ANSWER, tell = null }) {
  const late = AbortSignal.timeout(patience);
  const either = AbortSignal.any([signal, late]);
  try {
    const posted = await send(`${server}gradio_api/call/v2/${endpoint}`, either, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(values),
    });
    const id = JSON.parse(await readAll(posted, server, LARGEST_ANSWER))?.event_id;
    if (typeof id !== "string" || !/^[\w-]{1,100}$/.test(id)) throw new AnswerError("no event id");
    const stream = await send(`${server}gradio_api/call/${endpoint}/${id}`, either, {});
    return parse(await lastValue(stream, server, largest, tell && ((value) => tell(parse(value)))));
  } catch (error) {
    throw translated(error, server, signal, late, patience);
  }
}

/** A request that carries no cookie, no referrer, and follows no redirect to somewhere else. */
function send(url, signal, extra) {
  return fetch(url, { ...extra, signal, credentials: "omit", cache: "no-store", redirect: "error", referrerPolicy: "no-referrer" });
}

function refuseStatus(response, server) {
  const { status } = response;
  if (response.ok) return;
  if (status === 429 || status === 503) throw new CheckError("busy", "The app is busy with other checks: try again in a minute.");
  if (status === 401 || status === 403) throw new CheckError("refused", `The app at ${server} wants a login, which this extension cannot give.`);
  throw foreign(server, `status ${status}`);
}

async function readAll(response, server, largest) {
  let whole = "";
  for await (const piece of pieces(response, server, largest)) whole += piece;
  return whole;
}

async function* pieces(response, server, largest) {
  refuseStatus(response, server);
  const decoder = new TextDecoder();
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > largest) throw foreign(server, `more than ${largest} bytes`);
    yield decoder.decode(chunk, { stream: true });
  }
}

/** The value of the event that ends the stream; `tell` gets those before it, and heartbeats are passed over. */
async function lastValue(response, server, largest, tell) {
  let waiting = "";
  for await (const piece of pieces(response, server, largest)) {
    const blocks = (waiting + piece).replaceAll("\r\n", "\n").split("\n\n");
    waiting = blocks.pop();
    for (const block of blocks) {
      const { event, data } = readEvent(block);
      if (event === "complete") return JSON.parse(data)?.[0];
      if (event === "error") throw refusal(data, server);
      if (event === "generating" && tell) tell(JSON.parse(data)?.[0]);
    }
  }
  throw foreign(server, "the stream ended without an answer");
}

function readEvent(block) {
  const fields = { event: "", data: "" };
  for (const line of block.split("\n")) {
    const [, name, value] = /^(event|data): ?(.*)$/s.exec(line) ?? [];
    if (name) fields[name] = value;
  }
  return fields;
}

/** What the app said instead of an answer. */
function refusal(data, server) {
  let said = JSON.parse(data);
  if (typeof said === "object" && said !== null) said = said.error;
  const words = typeof said === "string" ? said.slice(0, 500) : "";
  if (/queue is full|too many/i.test(words)) return new CheckError("busy", "The app is busy with other checks: try again in a minute.");
  if (/^404\b/.test(words)) return foreign(server, "it knows no such request");
  return new CheckError("refused", words ? `The app answered: ${words}` : "The app failed at this check and gave no reason: see what it printed where it runs.");
}

function foreign(server, what) {
  return new CheckError("foreign", `What answers at ${server} is not this claim verifier, or another version of it (${what}). Check the address in the options.`);
}

function translated(error, server, signal, late, patience) {
  if (error instanceof CheckError) return error;
  if (signal.aborted) return new CheckError("cancelled", "The check was cancelled.");
  if (late.aborted) return new CheckError("timeout", `There was no answer within ${patience / 1000} seconds. The app may be busy: try again, or see what it printed where it runs.`);
  if (error instanceof AnswerError || error instanceof SyntaxError) return foreign(server, error.message.slice(0, 100));
  return new CheckError("unreachable", `The app at ${server} does not answer. ${START}`);
}
