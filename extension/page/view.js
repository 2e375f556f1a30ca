/** Results as nodes. Everything that came from outside becomes a text node or a checked link, nowhere markup. */
(() => {
  const space = (globalThis.claimVerifier ??= {});
  if (space.view) return;

  const TONES = { True: "true", False: "false", "Partially True": "partial", Misleading: "misleading" };
  const SIGNS = { true: "✓", false: "✗", partial: "≈", misleading: "!", unknown: "?" };
  const ORIGINS = { kb: "Evidence store", web: "Web", fact_check: "Fact-checker", user: "Added by you" };
  const STANCES = { supports: "supports the claim", refutes: "contradicts the claim", neutral: "does not settle it" };

  const SIDES = { true: "supported", false: "contradicted", partial: "partly right", misleading: "misleading", unknown: "not settled" };

  const tone = (verdict) => TONES[verdict] ?? "unknown";

  /** How a verdict is marked: its class, its sign, and the side in words. */
  const sign = (verdict) => ({ tone: tone(verdict), mark: SIGNS[tone(verdict)], said: SIDES[tone(verdict)] });

  /** An element with attributes and children; strings become text nodes, nothing (null, "") is left out. */
  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children.flat().filter((child) => child !== null && child !== ""));
    return made;
  }

  /** A link that opens elsewhere; an address that is not http(s) is shown as text and cannot be followed. */
  function link(address, words) {
    let url = null;
    try {
      url = new URL(address);
    } catch {
      // shown as text below
    }
    if (url?.protocol !== "http:" && url?.protocol !== "https:") return [words, address].filter(Boolean).join(" ") || "no source given";
    return element("a", { href: url.href, target: "_blank", rel: "noopener noreferrer nofollow" }, words || address);
  }

  /** The verdict, large, with the confidence; a check that decided nothing has none to show. */
  function headline(result) {
    const said = element(
      "p",
      { class: "verdict" },
      element("span", { "aria-hidden": "true" }, SIGNS[tone(result.verdict)]),
      ` ${result.verdict}`,
    );
    if (result.verdict === "Not Enough Evidence") return [said];
    const percent = Math.min(99, Math.round(result.confidence * 100));
    const filled = element("i");
    filled.style.width = `${percent}%`;
    return [
      said,
      element("div", { class: "bar", role: "img", "aria-label": `Confidence ${percent} percent` }, filled),
      element("p", { class: "small" }, `Confidence ${percent}%${result.tier ? ` (${result.tier})` : ""}`),
    ];
  }

  function parts(result) {
    if (!result.parts.length && !result.unchecked.length) return null;
    const head = ["Part of the claim", "Verdict", "Evidence"].map((name) => element("th", { scope: "col" }, name));
    const checked = result.parts.map((part) =>
      element(
        "tr",
        { class: tone(part.verdict) },
        element("td", {}, part.claim),
        element("td", { class: "tone" }, `${SIGNS[tone(part.verdict)]} ${part.verdict}`),
        element("td", {}, part.citations.map((number) => `[${number}]`).join(" ")),
      ),
    );
    const rest = result.unchecked.map((claim) =>
      element("tr", { class: "unknown" }, element("td", {}, claim), element("td", { class: "tone" }, "not checked"), element("td")),
    );
    return element(
      "section",
      { "aria-label": "Parts of the claim" },
      element("h2", {}, "Part by part"),
      element("table", {}, element("thead", {}, element("tr", {}, head)), element("tbody", {}, checked, rest)),
    );
  }

  /** The text with the quoted words marked. Positions count characters, not the halves of pairs that JavaScript counts. */
  function quoted(text, citations) {
    const letters = [...text];
    const nodes = [];
    let end = 0;
    for (const citation of [...citations].sort((a, b) => a.start - b.start)) {
      const words = letters.slice(citation.start, citation.end).join("");
      if (citation.start < end || !words || words !== citation.quote) continue;
      nodes.push(letters.slice(end, citation.start).join(""), element("mark", {}, words));
      end = citation.end;
    }
    return [...nodes, letters.slice(end).join("")];
  }

  function piece(found, citations) {
    const stance = STANCES[found.stance] ? found.stance : "neutral";
    const facts = [
      ORIGINS[found.origin] ?? "",
      STANCES[stance],
      `source credibility ${found.credibility.toFixed(2)} of 1`,
      found.published ? `published ${found.published.slice(0, 10)}` : "",
    ];
    const remarks = [
      found.note && `Note: ${found.note}`,
      found.rating && `Rated: ${found.rating}`,
      found.also.length ? `Also reported by ${found.also.join(", ")}` : "",
    ];
    return element(
      "li",
      { class: stance },
      element("p", { class: "small" }, element("b", {}, `[${found.number}] `), facts.filter(Boolean).join(" · ")),
      element("blockquote", {}, quoted(found.text, citations.filter((citation) => citation.number === found.number))),
      remarks.filter(Boolean).map((remark) => element("p", { class: "small" }, remark)),
      element("p", { class: "small" }, link(found.source, found.title || found.domain)),
    );
  }

  function evidence(result) {
    if (!result.evidence.length) return null;
    const pieces = result.evidence.map((found) => piece(found, result.citations));
    return element("section", { "aria-label": "Evidence" }, element("h2", {}, "Evidence"), element("ol", { class: "pieces" }, pieces));
  }

  function trace(result) {
    if (!result.steps.length) return null;
    const steps = result.steps.map((step) => element("li", {}, step));
    return element("details", {}, element("summary", {}, "How this was checked"), element("ol", {}, steps));
  }

  /** When it was checked, and whether something less than what was selected was checked. */
  function asked(result) {
    const when = result.checkedAt ? `Checked ${result.checkedAt.slice(0, 16).replace("T", " ")} UTC` : "";
    const took = result.seconds === null ? "" : `in ${result.seconds.toFixed(1)} s`;
    const line = [result.claimType, [when, took].filter(Boolean).join(" ")].filter(Boolean).join(" · ");
    const other = result.claim && result.claim !== result.originalClaim ? element("p", {}, element("b", {}, "Checked: "), result.claim) : null;
    return [element("p", { class: "small" }, line), other];
  }

  /** A whole result. */
  function result(shown) {
    const unsaid = shown.warnings.filter((warning) => !shown.reasoning.includes(warning));
    const withdrawn = "The verdict was withdrawn because its quotations did not hold against the evidence.";
    return element(
      "article",
      { class: tone(shown.verdict), "aria-label": "Result" },
      headline(shown),
      asked(shown),
      shown.status === "degraded" ? element("p", {}, withdrawn) : null,
      element("p", {}, shown.reasoning),
      unsaid.length ? element("ul", { class: "warnings" }, unsaid.map((warning) => element("li", {}, warning))) : null,
      parts(shown),
      evidence(shown),
      trace(shown),
    );
  }

  /** A failure, shown as one. */
  function failure(message, ...actions) {
    return element(
      "div",
      { class: "error" },
      element("p", { class: "verdict" }, "This could not be checked"),
      element("p", {}, message),
      actions.length ? element("p", { class: "row" }, actions) : null,
    );
  }

  /** The verdict in one sentence, for those who hear it. */
  function spoken(shown) {
    const sure = shown.verdict === "Not Enough Evidence" ? "" : `, confidence ${Math.min(99, Math.round(shown.confidence * 100))} percent`;
    return `Verdict: ${shown.verdict}${sure}.`;
  }

  space.view = { element, result, failure, sign, spoken };
})();
