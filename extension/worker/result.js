/** The app's answer as a bounded, checked copy: the parts of the extension pass nothing else on. */

export const VERDICTS = Object.freeze([
  "True", "False", "Partially True", "Misleading", "Not Enough Evidence", "Not Verifiable",
]);
const MOST = Object.freeze({ evidence: 25, citations: 25, parts: 10, unchecked: 50, steps: 200, warnings: 20, also: 10 });

/** The answer is not one of this app. */
export class AnswerError extends Error {}

/**
 * @param {unknown} answer what the endpoint `verify` returned
 * @returns {object} the fields that are shown, each of its type and bounded in size
 * @throws {AnswerError}
 */
export function parseResult(answer) {
  if (!isObject(answer)) throw new AnswerError("the answer is no object");
  if (!VERDICTS.includes(answer.verdict)) throw new AnswerError("the answer has no known verdict");
  return {
    verdict: answer.verdict,
    confidence: share(answer.confidence),
    tier: text(answer.tier, 20),
    status: text(answer.status, 20),
    checkedAt: text(answer.checked_at, 40),
    originalClaim: text(answer.original_claim, 4_000),
    claim: text(answer.claim, 4_000),
    claimType: text(answer.claim_type, 20),
    reasoning: text(answer.reasoning, 6_000),
    evidence: objects(answer.evidence, MOST.evidence).map(evidence),
    citations: objects(answer.citations, MOST.citations).map(citation),
    parts: objects(answer.sub_results, MOST.parts).map(part),
    unchecked: texts(answer.unchecked, MOST.unchecked, 2_000),
    steps: texts(answer.steps, MOST.steps, 600),
    warnings: texts(answer.warnings, MOST.warnings, 600),
    seconds: isObject(answer.timings) && Number.isFinite(answer.timings.total) ? answer.timings.total / 1000 : null,
  };
}

function evidence(piece) {
  return {
    number: whole(piece.number),
    text: text(piece.text, 4_000),
    source: text(piece.source, 2_000),
    title: text(piece.title, 300),
    domain: text(piece.domain, 300),
    origin: text(piece.origin, 20),
    credibility: share(piece.source_credibility),
    published: text(piece.published_at, 40),
    stance: text(piece.stance, 20),
    rating: text(piece.rating, 200),
    note: text(piece.note, 600),
    also: texts(piece.also_reported_by, MOST.also, 300),
  };
}

function citation(quoted) {
  return { number: whole(quoted.number), quote: text(quoted.quote, 4_000), start: whole(quoted.start), end: whole(quoted.end) };
}

function part(checked) {
  if (!VERDICTS.includes(checked.verdict)) throw new AnswerError("a part of the answer has no known verdict");
  return {
    claim: text(checked.claim, 2_000),
    verdict: checked.verdict,
    confidence: share(checked.confidence),
    citations: numbers([...list(checked.citations), ...list(checked.evidence).map((piece) => isObject(piece) && piece.number)]),
  };
}

/** What is quoted for a part comes first, then the rest of its evidence. */
function numbers(found) {
  return [...new Set(found.filter(Number.isInteger))].slice(0, MOST.citations);
}

function list(value) {
  return Array.isArray(value) ? value : [];
}

export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function text(value, longest) {
  return typeof value === "string" ? value.slice(0, longest) : "";
}

export function texts(value, most, longest) {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string").slice(0, most).map((item) => item.slice(0, longest)) : [];
}

export function objects(value, most) {
  return Array.isArray(value) ? value.filter(isObject).slice(0, most) : [];
}

export function whole(value) {
  return Number.isInteger(value) && value >= 0 ? value : 0;
}

function share(value) {
  return Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0;
}
