/** Marks on the page itself, by the CSS Custom Highlight API: no element of the page is changed, and all of it is taken back at once. */
(() => {
  const space = (globalThis.claimVerifier ??= {});
  if (space.marks) return;
  const NAME = "claim-verifier";
  const HERE = `${NAME}-here`;
  /** Each side has a line of its own under the text, so that colour is not all that tells it; its sign stands in the panel. */
  const LOOKS = {
    true: "background-color: #dff3e4; color: #10241a; text-decoration: underline solid 2px #14713a",
    false: "background-color: #fbdcd9; color: #33100d; text-decoration: underline double 2px #b3261e",
    partial: "background-color: #fdeccb; color: #2e2106; text-decoration: underline wavy 2px #8a5a00",
    misleading: "background-color: #fde0c8; color: #341a05; text-decoration: underline wavy 2px #a04000",
    unknown: "background-color: #e9ecf0; color: #1b1f24; text-decoration: underline dashed 2px #4b5563",
  };
  let sheet = null;

  function dress() {
    if (sheet) return;
    sheet = new CSSStyleSheet();
    const rules = Object.entries(LOOKS).map(([tone, look]) => `::highlight(${NAME}-${tone}) { ${look}; }`);
    sheet.replaceSync(`${rules.join("\n")}\n::highlight(${HERE}) { background-color: #ffe14d; color: #1b1f24; }`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }

  function add(name, ranges, priority) {
    const held = CSS.highlights.get(name) ?? new Highlight();
    held.priority = priority;
    for (const range of ranges) held.add(range);
    CSS.highlights.set(name, held);
  }

  space.marks = {
    /** @param {string} tone one of LOOKS */
    show(tone, ranges) {
      dress();
      add(`${NAME}-${tone}`, ranges, 0);
    },
    /** Bring a marked sentence into view, and let it stand out until the next one does. */
    jump(ranges) {
      CSS.highlights.delete(HERE);
      add(HERE, ranges, 1);
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      ranges[0].startContainer.parentElement?.scrollIntoView({ block: "center", behavior: still ? "instant" : "smooth" });
    },
    clear() {
      for (const name of [...Object.keys(LOOKS).map((tone) => `${NAME}-${tone}`), HERE]) CSS.highlights.delete(name);
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
      sheet = null;
    },
  };
})();
