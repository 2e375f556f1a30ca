/** One check, from asking to its result, inside an element: the overlay and the popup both show it. */
(() => {
  const space = (globalThis.claimVerifier ??= {});
  if (space.openPanel) return;
  const { element, result, failure, spoken } = space.view;

  /**
   * @param {Element} container is filled and refilled
   * @param {{remember?: boolean, onEnd?: () => void}} how `remember`: keep the result for the popup
   * @returns {{run: (claim: string) => void, show: (shown: object) => void, close: () => void}}
   */
  space.openPanel = (container, { remember = true, onEnd = () => {} } = {}) => {
    const status = element("p", { class: "hidden", role: "status", "aria-live": "polite" });
    const body = element("div");
    container.replaceChildren(status, body);
    let port = null;

    function button(words, act, kind = "") {
      const made = element("button", kind ? { type: "button", class: kind } : { type: "button" }, words);
      made.addEventListener("click", act);
      return made;
    }

    function fail(message, kind, claim) {
      const again = ["claim", "forbidden"].includes(kind) ? [] : [button("Try again", () => run(claim), "main")];
      const choose = ["unreachable", "forbidden", "foreign"].includes(kind)
        ? [button("Options", () => chrome.runtime.sendMessage({ type: "options" }))]
        : [];
      body.replaceChildren(failure(message, ...again, ...choose));
      status.textContent = `This could not be checked. ${message}`;
      end();
    }

    function end() {
      const ended = port;
      port = null;
      ended?.disconnect();
      onEnd();
    }

    function show(shown) {
      body.replaceChildren(result(shown));
      status.textContent = spoken(shown);
    }

    function run(claim) {
      const time = element("span", { class: "busy" }, "Checking …");
      const cancel = button("Cancel", () => port?.postMessage({ type: "cancel" }));
      body.replaceChildren(element("p", { class: "row" }, time, cancel));
      status.textContent = "Checking the claim.";
      try {
        port = chrome.runtime.connect({ name: "check" });
      } catch {
        // the extension was updated or removed while this page was open
        fail("This page belongs to an earlier version of the extension: reload the page.", "claim", claim);
        return;
      }
      const mine = port;
      mine.onMessage.addListener((message) => {
        if (mine !== port) return;
        if (message?.type === "waiting" && Number.isFinite(message.seconds)) time.textContent = `Checking … ${message.seconds} s`;
        if (message?.type === "error") fail(String(message.message), message.kind, claim);
        if (message?.type === "result") {
          show(message.result);
          end();
        }
      });
      mine.onDisconnect.addListener(() => {
        if (mine !== port) return;
        port = null;
        fail("The extension stopped before the answer came: try again.", "stopped", claim);
      });
      mine.postMessage({ type: "check", claim, remember });
    }

    function close() {
      const ended = port;
      port = null;
      ended?.disconnect();
    }

    return { run, show, close };
  };
})();
