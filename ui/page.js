/* What the page does by itself: the theme, the clipboard, downloads, and the messages for screen readers. It asks no other server. */
window.cv = {
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
  /* A check that begins folds what was read before it; its steps come into view, and then its verdict, unless the reader scrolls. */
  follow() {
    let busy = false, shown = "", led = true;
    for (const moved of ["wheel", "touchmove"]) addEventListener(moved, () => { led = false; }, { passive: true });
    const look = () => {
      const working = document.querySelector("#cv-steps .cv-busy");
      if (working && !busy) {
        led = true;
        for (const told of document.querySelectorAll("#cv-notice details")) told.open = false;
      }
      busy = working !== null;
      if (working && led) working.scrollIntoView({ block: "nearest" });
      const card = document.querySelector("#cv-verdict :is(.cv-result, .cv-error)");
      const now = card ? card.dataset.check || "settled" : "";
      if (now && now !== shown && led) {
        const { top } = card.getBoundingClientRect();
        if (top < 0 || top > innerHeight / 3) card.scrollIntoView({ block: "start" });
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
    cv.theme();
    cv.follow();
    for (const id of ["cv-announce", "cv-told", "cv-state", "cv-long"]) {
      const place = document.getElementById(id);
      if (place) {
        place.setAttribute("role", "status");
        place.setAttribute("aria-live", "polite");
      }
    }
  },
};
