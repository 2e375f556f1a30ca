/** The button beside selected text: it needs a script in every page, so it is there only while the user wants it. */

import { ALL_SITES, loadSettings } from "./settings.js";

export const OVERLAY_SCRIPTS = Object.freeze(["page/style.js", "page/view.js", "page/panel.js", "page/overlay.js"]);
export const PAGE_SCRIPTS = Object.freeze(["page/style.js", "page/view.js", "page/reader.js", "page/marks.js", "page/pagecheck.js"]);
const SCRIPTS = [...OVERLAY_SCRIPTS, "page/selection.js"];
const ID = "selection-button";

/** Bring the registered script into line with the setting and the permission; tell the pages that are open. */
export async function syncButton() {
  const { button } = await loadSettings();
  const wanted = button && (await chrome.permissions.contains({ origins: [...ALL_SITES] }));
  const present = (await chrome.scripting.getRegisteredContentScripts({ ids: [ID] })).length > 0;
  if (wanted && !present) {
    await chrome.scripting.registerContentScripts([{ id: ID, js: SCRIPTS, matches: [...ALL_SITES], runAt: "document_idle" }]);
    await inOpenTabs((tab) => chrome.scripting.executeScript({ target: { tabId: tab.id }, files: SCRIPTS }));
  } else if (!wanted && present) {
    await chrome.scripting.unregisterContentScripts({ ids: [ID] });
    await inOpenTabs((tab) => chrome.tabs.sendMessage(tab.id, { type: "button-off" }));
  }
}

/** Do something in every open tab; a tab of the browser itself, or one without the script, refuses, and that is fine. */
async function inOpenTabs(act) {
  const tabs = await chrome.tabs.query({});
  await Promise.allSettled(tabs.map(act));
}
