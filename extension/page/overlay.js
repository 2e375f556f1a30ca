/** The result over the page: a modal dialog in a closed shadow root, so that the page neither reads nor restyles it. */
(() => {
  const space = (globalThis.claimVerifier ??= {});
  if (space.openOverlay) return;
  const { element } = space.view;
  const SHOWN = 300;
  let shut = null;

  /** Elements that the Tab key reaches, in order. */
  function stops(root) {
    return [...root.querySelectorAll("button, a[href], summary")].filter((one) => !one.disabled && one.checkVisibility());
  }

  /** Keep Tab inside, and the keys typed here out of the page's own shortcuts. */
  function onKey(event, root, dialog) {
    event.stopPropagation();
    if (event.key !== "Tab") return;
    const all = stops(root);
    const [first, last] = [all[0], all.at(-1)];
    const leaving = event.shiftKey ? [first, dialog].includes(root.activeElement) : root.activeElement === last;
    if (!leaving) return;
    event.preventDefault();
    (event.shiftKey ? last : first).focus();
  }

  /** @param {string} claim is checked at once */
  space.openOverlay = (claim) => {
    shut?.();
    const before = document.activeElement;
    const host = document.createElement("div");
    const root = host.attachShadow({ mode: "closed" });
    space.dress(root);
    const close = element("button", { type: "button", "aria-label": "Close" }, "✕");
    const title = element("h1", { id: "title" }, "Claim check");
    const letters = [...claim.replace(/\s+/gu, " ").trim()];
    const words = letters.length > SHOWN ? `${letters.slice(0, SHOWN).join("")} …` : letters.join("");
    const body = element("div");
    const dialog = element(
      "dialog",
      { role: "dialog", "aria-modal": "true", "aria-labelledby": "title", tabindex: "-1" },
      element("header", {}, title, close),
      element("p", { class: "claim" }, words),
      body,
    );
    root.append(dialog);
    document.documentElement.append(host);
    const panel = space.openPanel(body, { onEnd: () => root.activeElement ?? close.focus() });

    shut = () => {
      shut = null;
      panel.close();
      if (dialog.open) dialog.close();
      host.remove();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
    close.addEventListener("click", () => shut?.());
    dialog.addEventListener("close", () => shut?.());
    for (const name of ["keydown", "keyup", "keypress"]) dialog.addEventListener(name, (event) => onKey(event, root, dialog));
    dialog.showModal();
    close.focus();
    panel.run(claim);
  };

  space.overlayIsOpen = () => shut !== null;

  chrome.runtime.onMessage.addListener((message, sender) => {
    if (sender.id === chrome.runtime.id && message?.type === "open" && typeof message.claim === "string") space.openOverlay(message.claim);
  });
})();
