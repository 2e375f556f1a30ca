/** The app's answer about a whole text as a bounded, checked copy. */

import { AnswerError, isObject, objects, parseResult, text, texts, whole } from "./result.js";

const MOST = Object.freeze({ claims: 200, warnings: 20 });
const OUTCOMES = Object.freeze(["checked", "failed", "left out"]);

/**
 * @param {unknown} answer what the endpoint `verify_text` streamed
 * @returns {{status: string, summary: string, done: number, total: number, claims: object[], warnings: string[]}}
 * @throws {AnswerError}
 */
export function parseText(answer) {
  if (!isObject(answer) || typeof answer.summary !== "string") throw new AnswerError("the answer is none about a text");
  return {
    status: answer.status === "done" ? "done" : "checking",
    summary: text(answer.summary, 600),
    done: whole(answer.done),
    total: whole(answer.total),
    claims: objects(answer.claims, MOST.claims).map(claim),
    warnings: texts(answer.warnings, MOST.warnings, 600),
  };
}

function claim(found) {
  if (!OUTCOMES.includes(found.outcome)) throw new AnswerError("a statement has no known outcome");
  return {
    sentence: whole(found.sentence),
    start: whole(found.start),
    end: whole(found.end),
    text: text(found.text, 4_000),
    claim: text(found.claim, 4_000),
    resolved: found.resolved === true,
    speaker: text(found.speaker, 300),
    outcome: found.outcome,
    reason: text(found.reason, 600),
    result: found.outcome === "checked" ? parseResult(found.result) : null,
  };
}
