/** The button beside selected text: it needs a script in every page, so it is there only while the user wants it. */

import { ALL_SITES, loadSettings } from "./settings.js";

export const OVERLAY_SCRIPTS = Object.freeze(["page/style.js", "page/view.js", "page/panel.js", "page/overlay.js"]);
export const PAGE_SCRIPTS = Object.freeze(["page/style.js", "page/view.js", "page/reader.js", "page/marks.js", "page/pagecheck.js"]);
const SCRIPTS = [...OVERLAY_SCRIPTS, "page/selection.js"];
const ID = "selection-button";

let last = Promise.resolve();

/**
 * Bring the registered script into line with the setting and the permission; tell the pages that are open.
 * One call at a time: the browser announces a new permission while the options page asks, and refuses to register twice.
 */
export function syncButton() {
  last = last.catch(() => {}).then(sync);
  return last;
}

async function sync() {
  const { button } = await loadSettings();
  const wanted = button && (await chrome.permissions.contains({ origins: [...ALL_SITES] }));
  const present = await registered();
  if (wanted && !present) {
    await register();
    await inOpenTabs((tab) => chrome.scripting.executeScript({ target: { tabId: tab.id }, files: SCRIPTS }));
  } else if (!wanted && present) {
    await chrome.scripting.unregisterContentScripts({ ids: [ID] });
    await inOpenTabs((tab) => chrome.tabs.sendMessage(tab.id, { type: "button-off" }));
  }
}

async function registered() {
  return (await chrome.scripting.getRegisteredContentScripts({ ids: [ID] })).length > 0;
}

/** Register the script; that it is there already, which the browser may say a moment too late, is no failure. */
async function register() {
  try {
    await chrome.scripting.registerContentScripts([{ id: ID, js: SCRIPTS, matches: [...ALL_SITES], runAt: "document_idle" }]);
  } catch (error) {
    if (!(await registered())) throw error;
  }
}

/** Do something in every open tab; a tab of the browser itself, or one without the script, refuses, and that is fine. */
async function inOpenTabs(act) {
  const tabs = await chrome.tabs.query({});
  await Promise.allSettled(tabs.map(act));
}
