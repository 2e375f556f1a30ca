/** A small button beside selected text of 15 to 2,000 characters. */
(() => {
  const space = (globalThis.claimVerifier ??= {});
  if (space.selection) return;
  const { element } = space.view;
  const [SHORTEST, LONGEST] = [15, 2_000];
  const ROOM = { width: 130, height: 36, gap: 8 };
  const listening = new AbortController();
  let host = null;

  /** What is selected and where, or null. What stands in a field being written in is nobody's business. */
  function selected() {
    const written = document.activeElement;
    if (written?.matches?.("input, textarea") || written?.isContentEditable) return null;
    const selection = getSelection();
    if (!selection?.rangeCount || selection.isCollapsed) return null;
    const text = selection.toString().replace(/\s+/gu, " ").trim();
    const length = [...text].length;
    if (length < SHORTEST || length > LONGEST) return null;
    const box = [...selection.getRangeAt(0).getClientRects()].at(-1);
    return box ? { text, box } : null;
  }

  function hide() {
    host?.remove();
    host = null;
  }

  function show() {
    hide();
    const found = space.overlayIsOpen() ? null : selected();
    if (!found) return;
    host = document.createElement("div");
    const root = host.attachShadow({ mode: "closed" });
    space.dress(root);
    const button = element("button", { type: "button", class: "check main" }, "Check claim");
    const { box } = found;
    const below = box.bottom + ROOM.gap + ROOM.height < innerHeight ? box.bottom + ROOM.gap : box.top - ROOM.gap - ROOM.height;
    button.style.top = `${Math.min(Math.max(below, 4), innerHeight - ROOM.height)}px`;
    button.style.left = `${Math.min(Math.max(box.right - ROOM.width / 2, 4), Math.max(4, innerWidth - ROOM.width))}px`;
    // Pressing must not clear the selection, and a click that the page made up itself must start nothing.
    button.addEventListener("mousedown", (event) => event.preventDefault());
    button.addEventListener("click", (event) => {
      if (!event.isTrusted) return;
      hide();
      space.openOverlay(found.text);
    });
    root.append(button);
    document.documentElement.append(host);
  }

  function on(name, act, options = {}) {
    document.addEventListener(name, act, { ...options, signal: listening.signal });
  }

  // The page settles the selection after the event that changed it.
  const soon = (event) => {
    if (event.target !== host && event.isTrusted) setTimeout(show, 10);
  };
  on("mouseup", soon);
  on("keyup", (event) => {
    if (event.shiftKey || event.key === "Shift" || ((event.ctrlKey || event.metaKey) && event.key === "a")) soon(event);
  });
  on("selectionchange", () => getSelection()?.isCollapsed && hide());
  on("scroll", hide, { passive: true, capture: true });
  on("keydown", (event) => event.key === "Escape" && hide());

  chrome.runtime.onMessage.addListener((message, sender) => {
    if (sender.id !== chrome.runtime.id || message?.type !== "button-off") return;
    listening.abort();
    hide();
    delete space.selection;
  });
  space.selection = true;
})();
