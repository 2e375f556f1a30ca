/* What the page does by itself: the theme, the clipboard, downloads, and what a screen reader is told. It asks no other server. */
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
  async copy(text, what) {
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
    cv.tell(`${what} copied.`);
  },
  link() {
    const card = document.querySelector("#cv-verdict [data-check]");
    if (card) cv.copy(`${location.origin}${location.pathname}?check=${card.dataset.check}`, "Link");
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
  start() {
    document.documentElement.lang = "en";
    cv.theme();
    for (const id of ["cv-announce", "cv-told", "cv-state"]) {
      const place = document.getElementById(id);
      if (place) {
        place.setAttribute("role", "status");
        place.setAttribute("aria-live", "polite");
      }
    }
  },
};
