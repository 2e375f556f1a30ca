/** The popup: type a claim, read the answer, come back to the last results. */

const { dress, openPanel, view } = globalThis.claimVerifier;
const [form, claim, answer, earlier, results, forget] = ["form", "claim", "answer", "earlier", "results", "forget"].map((id) =>
  document.getElementById(id),
);

dress(document);
const { incognito } = await chrome.windows.getCurrent();
const panel = openPanel(answer, { remember: !incognito, onEnd: showEarlier });

form.addEventListener("submit", (event) => {
  event.preventDefault();
  panel.run(claim.value);
});
claim.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});
document.getElementById("page").addEventListener("click", async () => {
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  const answer = await chrome.runtime.sendMessage({ type: "page", tab: tab?.id });
  if (answer?.done) window.close();
  else document.getElementById("page-said").textContent = "This page cannot be read: the browser keeps extensions out of it.";
});
forget.addEventListener("click", async () => {
  await chrome.storage.session.remove("results");
  await showEarlier();
  claim.focus();
});
chrome.storage.session.onChanged.addListener(showEarlier);

/** The last results as buttons that show each again; the worker put them there, checked and bounded. */
async function showEarlier() {
  const stored = await chrome.storage.session.get("results");
  const kept = stored.results ?? [];
  earlier.hidden = kept.length === 0;
  results.replaceChildren(
    ...kept.map((result) => {
      const button = view.element("button", { type: "button" }, `${result.verdict}: ${result.originalClaim}`);
      button.addEventListener("click", () => panel.show(result));
      return view.element("li", {}, button);
    }),
  );
}

await showEarlier();
claim.focus();
// A claim selected where no overlay can be shown comes here.
const { asked } = await chrome.storage.session.get("asked");
if (typeof asked === "string") {
  await chrome.storage.session.remove("asked");
  claim.value = asked;
  panel.run(asked);
}
