/** The look of results, for the overlay and the popup. Colours are pairs of text and ground with at least 4.5:1 contrast. */
(() => {
  const space = (globalThis.claimVerifier ??= {});
  if (space.style) return;
  space.style = `
:host, .cv-root { --ink: #1b1f24; --soft: #57606a; --paper: #ffffff; --line: #d0d7de; --true: #14713a; --false: #b3261e; --partial: #8a5a00; --misleading: #a04000; --unknown: #4b5563; --mark: #fff3b0; --action: #1d4ed8; --on-action: #ffffff; }
@media (prefers-color-scheme: dark) { :host, .cv-root { --ink: #e6edf3; --soft: #a7b1bc; --paper: #161b22; --line: #3a424c; --true: #5fd38d; --false: #ff8a80; --partial: #f0b955; --misleading: #ff9f5a; --unknown: #b6c0cb; --mark: #5c4a00; --action: #8ab4ff; --on-action: #0b1220; } }
:host { all: initial !important; }
* { box-sizing: border-box; }
dialog { width: min(680px, calc(100vw - 24px)); max-height: min(85vh, 900px); margin: auto; padding: 16px 20px 20px; border: 1px solid var(--line); border-radius: 12px; overflow: auto; overscroll-behavior: contain; }
dialog::backdrop { background: rgb(0 0 0 / .45); }
dialog, .check, .cv-root { color-scheme: light dark; }
dialog, .cv-root { background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; text-align: start; }
header { display: flex; gap: 12px; align-items: start; justify-content: space-between; }
h1 { font-size: 1rem; margin: 4px 0; } h2 { font-size: 1rem; margin: 18px 0 6px; } p { margin: 8px 0; }
button { font: inherit; padding: 5px 12px; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); color: var(--ink); cursor: pointer; }
button.main { background: var(--action); border-color: var(--action); color: var(--on-action); }
button:disabled { opacity: .6; cursor: default; }
:focus-visible { outline: 3px solid var(--action); outline-offset: 2px; }
.claim { color: var(--soft); font-style: italic; max-height: 6em; overflow: auto; }
.small { font-size: .86rem; color: var(--soft); }
.true { --tone: var(--true); } .false, .error { --tone: var(--false); } .partial { --tone: var(--partial); } .misleading { --tone: var(--misleading); } .unknown { --tone: var(--unknown); }
.supports { --tone: var(--true); } .refutes { --tone: var(--false); } .neutral { --tone: var(--unknown); }
.verdict { color: var(--tone); font-size: 2rem; font-weight: 700; line-height: 1.2; margin: 10px 0 6px; } .error .verdict { font-size: 1.25rem; }
.bar { height: 8px; border-radius: 4px; background: var(--line); overflow: hidden; } .bar i { display: block; height: 100%; background: var(--tone); }
table { width: 100%; border-collapse: collapse; font-size: .92rem; } th, td { text-align: start; vertical-align: top; padding: 5px 8px 5px 0; border-bottom: 1px solid var(--line); } th { color: var(--soft); font-weight: 600; } td.tone { color: var(--tone); font-weight: 600; }
ol.pieces { list-style: none; margin: 0; padding: 0; } ol.pieces > li { border: 1px solid var(--line); border-inline-start: 4px solid var(--tone, var(--line)); border-radius: 8px; padding: 8px 12px; margin: 8px 0; }
blockquote { margin: 6px 0; } mark { background: var(--mark); color: inherit; border-radius: 3px; padding: 0 2px; }
a { color: inherit; text-decoration: underline; } summary { cursor: pointer; margin-top: 16px; font-weight: 600; }
details ol, ul { padding-inline-start: 22px; } details li, ul.warnings li { font-size: .88rem; color: var(--soft); margin: 2px 0; }
.row { display: flex; gap: 8px; align-items: center; flex-wrap: wrap; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.check { position: fixed; z-index: 2147483647; font: 14px/1.3 system-ui, sans-serif; padding: 6px 12px; box-shadow: 0 2px 8px rgb(0 0 0 / .3); }
.side { position: fixed; z-index: 2147483646; inset-block-end: 12px; inset-inline-end: 12px; width: min(380px, calc(100vw - 24px)); max-height: min(70vh, 640px); padding: 10px 16px 14px; border: 1px solid var(--line); border-radius: 12px; overflow: auto; overscroll-behavior: contain; box-shadow: 0 4px 24px rgb(0 0 0 / .35); }
.side:focus { outline: none; } @media (max-width: 600px) { .side { max-height: 45vh; } }
.side .summary { font-weight: 600; margin: 4px 0; } .side .verdict { font-size: 1.25rem; } .tone { color: var(--tone); }
button.lead { width: 100%; padding: 0; border: 0; background: none; text-align: start; text-decoration: none; } button.lead:hover { text-decoration: underline; } button.lead:disabled { opacity: 1; }
.side details summary { margin-top: 4px; font-size: .86rem; }
@media (prefers-reduced-motion: no-preference) { .busy { animation: pulse 1.4s ease-in-out infinite; } @keyframes pulse { 50% { opacity: .45; } } }
@media (forced-colors: active) { .bar i { background: CanvasText; } }
`;
  /** Give a shadow root or a document this look; a page's content policy does not reach style sheets made so. */
  space.dress = (root) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(space.style);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  };
})();
