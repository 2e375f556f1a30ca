/** What of a page a person reads: never what is hidden, never what stands in a form; and where each piece of it stands. */
(() => {
  const space = (globalThis.claimVerifier ??= {});
  if (space.readPage) return;
  const LONGEST = 200_000;
  const SHARE = 0.6;
  const SKIPPED = [
    "script, style, noscript, template, svg, math, canvas, iframe, object, embed, video, audio",
    "form, fieldset, input, textarea, select, option, datalist, button, label, output, [contenteditable]:not([contenteditable='false'])",
    "[role='textbox'], [role='searchbox'], [role='combobox'], [role='form'], [role='search'], [role='button'], [role='navigation']",
    "nav, dialog, [hidden], [inert], [aria-hidden='true']",
  ].join(", ");
  const CLIPPED = /^inset\((?:50|100)%/;

  /** Whether an element and all around it are seen; what is one pixel wide, clipped, transparent or off the page is not. */
  function isSeen(one, known) {
    if (!one || one === document.documentElement) return true;
    if (!known.has(one)) known.set(one, !one.matches(SKIPPED) && isSeen(one.parentElement, known) && shows(one));
    return known.get(one);
  }

  function shows(one) {
    if (!one.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    const style = getComputedStyle(one);
    if (Number.parseFloat(style.fontSize) < 2 || CLIPPED.test(style.clipPath) || /^rgba\(.*, 0\)$/.test(style.color)) return false;
    if (style.display === "contents" || style.overflow === "visible") return true;
    const { width, height } = one.getBoundingClientRect();
    return width > 2 && height > 2;
  }

  /** Whether any part of a text lies on the page, and not beside it. */
  function isPlaced(node) {
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()].some(
      (box) => box.width > 1 && box.height > 1 && box.right + scrollX > 0 && box.bottom + scrollY > 0,
    );
  }

  /** The nearest element around a text that begins a line of its own. */
  function blockOf(one) {
    let found = one;
    while (found.parentElement && /^(inline|contents|ruby)/.test(getComputedStyle(found).display)) found = found.parentElement;
    return found;
  }

  /** The texts that are seen, in order, each with its block; `broken` where a line break stands before it. */
  function seen() {
    const [known, found] = [new Map(), []];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    let broken = false;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.nodeType === Node.ELEMENT_NODE) {
        broken ||= node.localName === "br";
        continue;
      }
      if (!isSeen(node.parentElement, known)) continue;
      if (node.nodeValue.trim() && !isPlaced(node)) continue;
      found.push({ node, block: blockOf(node.parentElement), broken });
      broken = false;
    }
    return found;
  }

  /** The smallest part of the page that calls itself the article and holds most of the text; else the whole page. */
  function mainPart(texts) {
    const size = (within) => texts.reduce((sum, { node }) => sum + (within.contains(node) ? node.nodeValue.trim().length : 0), 0);
    const most = size(document.body) * SHARE;
    const fitting = [...document.querySelectorAll("article, main, [role='main']")].filter((one) => size(one) >= most);
    return fitting.at(-1) ?? document.body;
  }

  /**
   * @returns {{text: string, cut: boolean, rangesOf: (start: number, end: number) => Range[]}} positions count characters, as the app
   *   does, and not the halves of pairs; a text that has changed since has no ranges
   */
  space.readPage = () => {
    const texts = seen();
    const part = mainPart(texts);
    const pieces = [];
    let [text, block, cut] = ["", null, false];
    for (const { node, block: own, broken } of texts) {
      if (!part.contains(node)) continue;
      // as many signs as before, so that each keeps its place
      const value = node.nodeValue.replace(/\s/g, " ").toWellFormed();
      if (!value.trim() && own !== block) continue;
      const gap = text && own !== block ? "\n\n" : text && broken ? "\n" : "";
      if (text.length + gap.length + value.length > LONGEST) {
        cut = true;
        break;
      }
      text += gap;
      pieces.push({ node, value, at: text.length });
      text += value;
      block = own;
    }
    const places = placesIn(text);
    return { text, cut, rangesOf: (start, end) => rangesOf(pieces, places(start), places(end)) };
  };

  /** From the number of a character to where it begins in a JavaScript text. */
  function placesIn(text) {
    if (!/[\ud800-\udfff]/.test(text)) return (number) => number;
    const starts = [];
    for (let at = 0; at < text.length; at += text.codePointAt(at) > 0xffff ? 2 : 1) starts.push(at);
    return (number) => starts[number] ?? text.length;
  }

  function rangesOf(pieces, start, end) {
    const ranges = [];
    for (const { node, value, at } of pieces) {
      const [from, to] = [Math.max(start, at) - at, Math.min(end, at + value.length) - at];
      if (from >= to || !value.slice(from, to).trim()) continue;
      if (!node.isConnected || node.nodeValue.replace(/\s/g, " ").toWellFormed() !== value) return [];
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, to);
      ranges.push(range);
    }
    return ranges;
  }
})();
