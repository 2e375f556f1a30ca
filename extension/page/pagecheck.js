/** A check of the whole page: marks on it, and a panel in a closed shadow root that lists them with their signs. */
(() => {
  const space = (globalThis.claimVerifier ??= {});
  if (space.checkPage) return;
  const { element, result, failure, sign } = space.view;
  const SHOWN = 160;
  let shut = null;

  function button(words, act, kind = "") {
    const made = element("button", kind ? { type: "button", class: kind } : { type: "button" }, words);
    made.addEventListener("click", act);
    return made;
  }

  function short(text) {
    const letters = [...text.replace(/\s+/gu, " ").trim()];
    return letters.length > SHOWN ? `${letters.slice(0, SHOWN).join("")} …` : letters.join("");
  }

  /** A line of the list: the sentence as a button that leads to it, and what was found. */
  function line(claim, ranges) {
    const { tone, mark, said } = sign(claim.result?.verdict);
    const lead = button("", () => space.marks.jump(ranges), "lead");
    lead.disabled = !ranges.length;
    lead.append(element("b", { class: "tone" }, `${mark} ${claim.result ? said : "not checked"}`), ` ${short(claim.text)}`);
    const how = [
      claim.resolved ? `Checked in our words: ${claim.claim}` : "",
      claim.speaker ? `Said by ${claim.speaker}: checked is what was said, not that it was said.` : "",
      claim.reason,
      ranges.length ? "" : "The page has changed since: this sentence is not marked.",
    ];
    const told = how.filter(Boolean).map((words) => element("p", { class: "small" }, words));
    const why = claim.result ? element("details", {}, element("summary", {}, "Why"), result(claim.result)) : null;
    return element("li", { class: claim.result ? tone : "unknown", "data-at": String(claim.sentence) }, lead, told, why);
  }

  /** Put a line where its sentence stands in the order of the page; a claim is listed once. */
  function place(list, made) {
    const at = Number(made.dataset.at);
    const next = [...list.children].find((one) => Number(one.dataset.at) >= at);
    if (next && Number(next.dataset.at) === at) return false;
    list.insertBefore(made, next ?? null);
    return true;
  }

  function layout() {
    const status = element("p", { role: "status", "aria-live": "polite", class: "small" }, "Checking …");
    const summary = element("p", { class: "summary" });
    const list = element("ol", { class: "pieces" });
    const body = element("div");
    const bar = element("p", { class: "row" });
    const title = element("h1", { id: "title" }, "This page, checked");
    const section = element("section", { class: "side cv-root", "aria-labelledby": "title", tabindex: "-1" }, title, summary, status, bar, body, list);
    return { status, summary, list, body, bar, section };
  }

  /** @param {boolean} web whether the app may ask the web: of a page that may be private, only if its reader says so */
  space.checkPage = (web = false) => {
    shut?.();
    const page = space.readPage();
    const host = document.createElement("div");
    const root = host.attachShadow({ mode: "closed" });
    space.dress(root);
    const parts = layout();
    root.append(parts.section);
    document.documentElement.append(host);
    const cut = page.cut ? " Only the beginning of this long page was read." : "";
    let port = null;

    const stop = button("Stop", () => {
      finish();
      parts.status.textContent = `Stopped.${cut}`;
    });
    shut = () => {
      shut = null;
      finish();
      space.marks.clear();
      host.remove();
    };
    parts.bar.append(stop, button("Remove the marks", () => shut?.()));
    for (const name of ["keydown", "keyup", "keypress"]) {
      parts.section.addEventListener(name, (event) => {
        event.stopPropagation();
        if (name === "keydown" && event.key === "Escape") shut?.();
      });
    }

    function finish() {
      const ended = port;
      port = null;
      stop.remove();
      ended?.disconnect();
    }

    function fail(message) {
      parts.body.replaceChildren(failure(message, button("Options", () => chrome.runtime.sendMessage({ type: "options" }))));
      parts.status.textContent = `The page could not be checked to its end.${cut}`;
      finish();
    }

    function show(answer) {
      for (const claim of answer.claims) {
        const ranges = page.rangesOf(claim.start, claim.end);
        if (place(parts.list, line(claim, ranges)) && claim.result) space.marks.show(sign(claim.result.verdict).tone, ranges);
      }
      parts.summary.textContent = answer.summary;
      parts.status.textContent = answer.status === "done" ? `Done.${cut}` : `${answer.done} of ${answer.total} statements checked.${cut}`;
      if (answer.warnings.length) parts.body.replaceChildren(...answer.warnings.map((words) => element("p", { class: "small" }, words)));
    }

    try {
      port = chrome.runtime.connect({ name: "check" });
    } catch {
      fail("This page belongs to an earlier version of the extension: reload the page.");
      return;
    }
    const mine = port;
    mine.onMessage.addListener((message) => {
      if (mine !== port) return;
      if (message?.type === "news" || message?.type === "answer") show(message.answer);
      if (message?.type === "error") fail(String(message.message));
      if (message?.type === "answer") finish();
      if (message?.type === "answer" && message.more === true) parts.bar.append(button("Ask the web too", () => space.checkPage(true)));
    });
    mine.onDisconnect.addListener(() => {
      if (mine === port) fail("The extension stopped before the answer came: try again.");
    });
    mine.postMessage({ type: "text", text: page.text, web });
    parts.section.focus({ preventScroll: true });
  };

  chrome.runtime.onMessage.addListener((message, sender) => {
    if (sender.id === chrome.runtime.id && message?.type === "check-page") space.checkPage();
  });
})();
