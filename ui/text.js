/* The tab for whole texts: marks are painted here from a short list, so that a long text is sent once. And the offer of that tab. */
Object.assign(window.cv, {
  texts: {
    chosen: 0,
    side: "all",
    seen: "",
    within: (query) => document.querySelectorAll(`#cv-doc-text ${query}`),
    /* Give each sentence of the list its mark; does nothing where neither text nor list is new. Gradio keeps elements and changes
       what is in them. */
    paint() {
      const text = document.querySelector("#cv-doc-text .cv-doc-text"), news = document.querySelector("#cv-doc-news .cv-doc-marks");
      if (!text || !news || (news.innerHTML === this.seen && text.querySelectorAll("[data-tone]").length === news.children.length)) return;
      this.seen = news.innerHTML;
      const places = new Map([...text.querySelectorAll("[data-n]")].map((one) => [one.dataset.n, one]));
      for (const { dataset } of news.children) {
        const place = places.get(dataset.n);
        if (!place) continue;
        place.className = `cv-s cv-s-${dataset.tone}`;
        place.dataset.tone = dataset.tone;
        place.title = dataset.said;
        place.setAttribute("role", "button");
      }
      this.filter(this.side);
    },
    /* Let the marks of one side stand out; the others leave the order of the Tab key. */
    filter(side) {
      this.side = side;
      for (const mark of this.within("[data-tone]")) {
        const away = side !== "all" && mark.dataset.tone !== side;
        mark.classList.toggle("cv-s-away", away);
        mark.tabIndex = away ? -1 : 0;
      }
    },
    open(mark) {
      if (!mark) return;
      for (const one of this.within("[aria-current]")) one.removeAttribute("aria-current");
      mark.setAttribute("aria-current", "true");
      this.chosen = Number(mark.dataset.n);
      document.getElementById("cv-doc-open").click();
    },
    /* The card comes with the next drawing of the page. */
    opened() {
      requestAnimationFrame(() => requestAnimationFrame(() => {
        const card = document.querySelector("#cv-doc-card .cv-doc-said");
        if (!card) return;
        card.focus({ preventScroll: true });
        card.scrollIntoView({ block: "nearest" });
        if (card.getBoundingClientRect().top > innerHeight / 2) card.scrollIntoView({ block: "start" });
      }));
    },
    back(number) {
      const mark = [...this.within("[data-tone]")].find((one) => one.dataset.n === number);
      mark?.focus({ preventScroll: true });
      mark?.scrollIntoView({ block: "center" });
    },
    start() {
      const mark = (event) => event.target.closest?.("#cv-doc-text [data-tone]");
      document.addEventListener("click", (event) => {
        const back = event.target.closest?.(".cv-doc-back");
        if (back) this.back(back.dataset.back);
        else if (String(getSelection()) === "") this.open(mark(event));
      });
      document.addEventListener("keydown", (event) => {
        if ((event.key !== "Enter" && event.key !== " ") || !mark(event)) return;
        event.preventDefault();
        this.open(mark(event));
      });
      new MutationObserver(() => this.paint()).observe(document.getElementById("cv-page"), { childList: true, subtree: true });
    },
  },
  /* What is longer than a claim goes to the tab for whole texts, if its reader wants that; nothing of it is cut off unseen. */
  long: {
    most: 2000,
    held: "",
    offer(text) {
      const page = document.getElementById("cv-page"), said = document.querySelector("#cv-long .prose");
      this.held = text;
      page.toggleAttribute("data-long", text !== "");
      if (!said) return;
      const size = `${text.length.toLocaleString("en")} characters`;
      const told = text.length > this.most ? `This has ${size}, and a claim may have ${this.most.toLocaleString("en")}.` : "This is more than one claim.";
      said.textContent = text ? `${told} Every statement in it can be checked.` : "";
    },
    pasted(event) {
      if (!event.target.closest?.("#cv-claim")) return;
      const text = event.clipboardData?.getData("text/plain") ?? "";
      const several = (text.trim().match(/[.!?\u2026]["\u201d\u2019)]*\s+(?=\S)/gu) ?? []).length >= 5;
      const room = this.most - event.target.value.length + (event.target.selectionEnd - event.target.selectionStart);
      if (text.length > room) event.preventDefault();
      if (text.length > room || several) this.offer(text);
    },
    start() {
      document.addEventListener("paste", (event) => this.pasted(event));
      document.addEventListener("input", (event) => {
        if (event.inputType !== "insertFromPaste" && event.target.closest?.("#cv-claim")) this.offer("");
      });
    },
    take() {
      const text = this.held;
      this.offer("");
      return text;
    },
  },
});
