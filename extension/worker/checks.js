/** Runs checks for whoever opened a port, and keeps the last results for the popup. */

import { permissionFor } from "./address.js";
import { CheckError, LONGEST_TEXT, parseClaim, verify, verifyText } from "./api.js";
import { fromOwnPage, fromUs, parsePortMessage } from "./messages.js";
import { loadSettings } from "./settings.js";

const AT_ONCE = 4;
const KEPT = 5;
const BEAT_MS = 1_000;
const running = new Set();

/** Serve one port: a check at a time, which ends early when it is cancelled or the page that asked is closed. */
export function servePort(port) {
  if (port.name !== "check" || !fromUs(port.sender)) {
    port.disconnect();
    return;
  }
  let open = true;
  let current = null;
  const tell = (message) => {
    if (open) port.postMessage(message);
  };
  port.onDisconnect.addListener(() => {
    open = false;
    // A check asked for in the popup goes on when the popup closes, which any click elsewhere does; its result is kept.
    if (port.sender.tab && !fromOwnPage(port.sender)) current?.abort();
  });
  port.onMessage.addListener(async (raw) => {
    const message = parsePortMessage(raw);
    if (!message) return;
    current?.abort();
    if (message.type === "cancel") return;
    const mine = new AbortController();
    current = mine;
    const remember = fromOwnPage(port.sender) ? message.remember : !port.sender.tab?.incognito;
    const { signal } = mine;
    const work = message.type === "text" ? textWork(message, signal, tell) : claimWork(message.claim, remember, signal);
    const answer = await check(work, tell);
    if (current === mine || answer.kind !== "cancelled") tell(answer);
  });
}

/** Check a claim; its result may be kept for the popup. */
function claimWork(typed, remember, signal) {
  return async (server, web) => {
    const result = await verify(server, parseClaim(typed), web, signal);
    if (remember) await keep(result);
    return { type: "result", result };
  };
}

/** Check the text of a page: what is new is told as it comes. Nothing of it is kept, and the web is asked only if that was wished. */
function textWork({ text, web: wished }, signal, tell) {
  return async (server, web) => {
    if (!text.trim()) throw new CheckError("claim", "There is no text to check on this page.");
    if ([...text].length > LONGEST_TEXT) throw new CheckError("claim", `The page has more than ${LONGEST_TEXT} characters of text.`);
    const told = new Set();
    // each answer of the app holds all that it found so far
    const fresh = (answer) => ({ ...answer, claims: answer.claims.filter(({ sentence }) => !told.has(sentence) && told.add(sentence)) });
    const answer = await verifyText(server, text, web && wished, signal, (news) => tell({ type: "news", answer: fresh(news) }));
    return { type: "answer", answer: fresh(answer), more: web && !wished };
  };
}

/** One check, told as messages; never throws for a check that failed. */
async function check(work, tell) {
  const started = Date.now();
  const token = {};
  // Besides telling the time, the call to the browser keeps the worker from being stopped for idleness.
  const beat = setInterval(() => {
    void chrome.runtime.getPlatformInfo();
    tell({ type: "waiting", seconds: Math.round((Date.now() - started) / 1000) });
  }, BEAT_MS);
  try {
    if (running.size >= AT_ONCE) throw new CheckError("busy", `${AT_ONCE} checks are running already: wait until one of them ends.`);
    running.add(token);
    const { server, web } = await loadSettings();
    if (!(await chrome.permissions.contains({ origins: [permissionFor(server)] }))) {
      throw new CheckError("forbidden", `This extension may not talk to ${server} yet: open its options and press “Save”.`);
    }
    return await work(server, web);
  } catch (error) {
    if (error instanceof CheckError) return { type: "error", kind: error.kind, message: error.message };
    throw error;
  } finally {
    clearInterval(beat);
    running.delete(token);
  }
}

/** The last results, newest first. They live in memory and are gone when the browser closes. */
async function keep(result) {
  const { results = [] } = await chrome.storage.session.get("results");
  await chrome.storage.session.set({ results: [result, ...results].slice(0, KEPT) });
}
