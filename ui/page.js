/* What the page does by itself: the theme, the clipboard, downloads, quotations, and the messages for screen readers. It asks no other server. */
window.cv = {
  /* Gradio ends a run by its number, and does not know it yet where Stop is pressed before the server has answered the start. */
  stopAtAnyTime() {
    const ask = window.fetch, started = {};
    window.fetch = async (address, options) => {
      const end = /\/gradio_api\/(queue\/join|cancel|reset)$/.exec(String(address?.url ?? address).split("?")[0])?.[1];
      if (!end || typeof options?.body !== "string") return ask(address, options);
      const said = JSON.parse(options.body);
      if (end === "queue/join") {
        const answer = ask(address, options);
        started[said.fn_index] = answer.then((given) => given.clone().json()).then((told) => told.event_id, () => "");
        return answer;
      }
      if (said.event_id) return ask(address, options);
      const id = await started[said.fn_index];
      if (!id) return Response.json({ success: true });
      return ask(address, { ...options, body: JSON.stringify({ ...said, event_id: id }) });
    };
  },
  theme() {
    const saved = localStorage.getItem("cv-theme");
    if (saved) document.body.classList.toggle("dark", saved === "dark");
  },
  toggle() {
    const dark = document.body.classList.toggle("dark");
    localStorage.setItem("cv-theme", dark ? "dark" : "light");
  },
  tell(text) {
    const place = document.querySelector("#cv-told .prose");
    if (place) place.textContent = text;
  },
  async copy(text, what, note = "") {
    if (!text) return;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    cv.tell(`${what} copied. ${note}`.trim());
  },
  link(note) {
    const card = document.querySelector("#cv-verdict [data-check]");
    if (card) cv.copy(`${location.origin}${location.pathname}?check=${card.dataset.check}`, "Link", note);
  },
  save(text, name, mime) {
    if (!text) return;
    const place = document.createElement("a");
    place.href = URL.createObjectURL(new Blob([text], { type: mime }));
    place.download = name;
    place.click();
    setTimeout(() => URL.revokeObjectURL(place.href), 1000);
    cv.tell(`${name} saved.`);
  },
  /* A number in a text opens what it cites over the text: the words in their paragraph, and what they say of the claim. */
  cite(link) {
    const piece = document.getElementById(link.hash.slice(1));
    if (!piece) return;
    let box = document.getElementById("cv-cited");
    if (!box) {
      box = Object.assign(document.createElement("div"), { id: "cv-cited", popover: "auto", tabIndex: -1 });
      box.setAttribute("role", "dialog");
      document.getElementById("cv-page").append(box);
    }
    const foot = document.createElement("p");
    foot.innerHTML = '<button type="button">Close</button> <a>Show it among the evidence</a>';
    foot.className = "cv-small cv-foot";
    foot.firstChild.onclick = () => box.hidePopover();
    foot.lastChild.href = link.hash;
    foot.lastChild.onclick = () => {
      box.hidePopover();
      for (let fold = piece.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    };
    box.className = `prose ${piece.className}`;
    box.setAttribute("aria-label", `Evidence ${link.textContent}: ${piece.querySelector(".cv-says").textContent}`);
    box.replaceChildren(...piece.cloneNode(true).childNodes, foot);
    box.showPopover();
    const { top, bottom } = link.getBoundingClientRect(), { height } = box.getBoundingClientRect();
    box.style.top = `${Math.max(8, bottom + 8 + height <= innerHeight ? bottom + 8 : Math.min(top, innerHeight) - height - 8)}px`;
    box.scrollTop = 0;
    box.focus({ preventScroll: true });
  },
  /* What is clicked in cards, which come and go. */
  clicks() {
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.(".cv-cite"), button = event.target.closest?.(".cv-copies");
      if (link && "popover" in HTMLElement.prototype && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
        event.preventDefault();
        cv.cite(link);
      }
      if (button) {
        cv.copy(button.closest("p").nextElementSibling.textContent, button.dataset.what);
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = "Copy"; }, 2000);
      }
    });
  },
  /* A check that begins folds what was read before it; its steps come into view, and then its verdict, unless the reader scrolls. */
  follow() {
    let busy = false, shown = "", led = true;
    for (const moved of ["wheel", "touchmove"]) addEventListener(moved, () => { led = false; }, { passive: true });
    const look = () => {
      for (const place of document.querySelectorAll(".cv-server:not([data-known])")) {
        place.dataset.known = "";
        place.textContent = `${location.origin}${location.pathname}`.replace(/\/$/, "");
      }
      const working = document.querySelector("#cv-steps .cv-busy");
      if (working && !busy) {
        led = true;
        for (const told of document.querySelectorAll("#cv-notice details")) told.open = false;
      }
      busy = working !== null;
      const card = document.querySelector("#cv-verdict :is(.cv-result, .cv-error)");
      if (working && led && !card) working.scrollIntoView({ block: "nearest" });
      const now = card ? card.dataset.check || "settled" : "";
      if (now && now !== shown && led) {
        const low = card.querySelector("h2").getBoundingClientRect().bottom;
        if (low + scrollY < innerHeight) scrollTo(0, 0);  // the whole page is seen from its beginning, the verdict with it
        else card.scrollIntoView({ block: "start" });
      }
      shown = now;
    };
    new MutationObserver(look).observe(document.getElementById("cv-page"), { childList: true, subtree: true });
    setInterval(() => {
      for (const place of document.querySelectorAll("[data-left]")) {
        const left = Math.max(0, place.dataset.left - 1);
        place.dataset.left = left;
        place.textContent = left >= 1 ? `about ${left} s left` : "any moment now";
      }
    }, 1000);
  },
  start() {
    document.documentElement.lang = "en";
    cv.stopAtAnyTime();
    cv.theme();
    cv.follow();
    cv.clicks();
    for (const id of ["cv-announce", "cv-told", "cv-state", "cv-long"]) {
      const place = document.getElementById(id);
      if (place) {
        place.setAttribute("role", "status");
        place.setAttribute("aria-live", "polite");
      }
    }
  },
};
