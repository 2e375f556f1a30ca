/** The worker: the only part that talks to the app. Here the browser's events meet the modules beside this file. */

import { OVERLAY_SCRIPTS, PAGE_SCRIPTS, syncButton } from "./button.js";
import { servePort } from "./checks.js";
import { health } from "./api.js";
import { fromOwnPage, fromUs } from "./messages.js";
import { loadSettings } from "./settings.js";

const MENU = "check-claim";
const PAGE_MENU = "check-page";

chrome.runtime.onInstalled.addListener(async ({ reason }) => {
  await chrome.contextMenus.removeAll();
  chrome.contextMenus.create({ id: MENU, title: "Check this claim", contexts: ["selection"] });
  chrome.contextMenus.create({ id: PAGE_MENU, title: "Check this page", contexts: ["page"] });
  await syncButton();
  if (reason === "install") await chrome.runtime.openOptionsPage();
});
chrome.runtime.onStartup.addListener(syncButton);
chrome.permissions.onAdded.addListener(syncButton);
chrome.permissions.onRemoved.addListener(syncButton);
// Scripts in pages have no business with the settings.
void chrome.storage.local.setAccessLevel({ accessLevel: "TRUSTED_CONTEXTS" });

chrome.contextMenus.onClicked.addListener((info, tab) => {
  if (info.menuItemId === MENU && info.selectionText && tab?.id !== undefined) void openOverlay(tab.id, info.selectionText);
  if (info.menuItemId === PAGE_MENU && tab?.id !== undefined) void checkPage(tab.id);
});

chrome.commands.onCommand.addListener(async (command, tab) => {
  if (command !== "check-selection" || tab?.id === undefined) return;
  const [frame] = await chrome.scripting.executeScript({ target: { tabId: tab.id }, func: () => getSelection()?.toString() ?? "" });
  await openOverlay(tab.id, typeof frame?.result === "string" ? frame.result : "");
});

chrome.runtime.onConnect.addListener(servePort);

chrome.runtime.onMessage.addListener((message, sender, answer) => {
  if (!fromUs(sender)) return false;
  if (message?.type === "options") void chrome.runtime.openOptionsPage();
  if (!fromOwnPage(sender)) return false;
  if (message?.type === "button") {
    syncButton().then(
      () => answer({ done: true }),
      (error) => answer({ done: false, error: error.message }),
    );
    return true;
  }
  if (message?.type === "page" && Number.isInteger(message.tab)) {
    checkPage(message.tab).then(answer);
    return true;
  }
  if (message?.type === "health") {
    askHealth().then(answer);
    return true;
  }
  return false;
});

/** Whether the app answers, as a value: a message cannot carry an error. */
async function askHealth() {
  const { server } = await loadSettings();
  try {
    return { server, ...(await health(server)) };
  } catch (error) {
    return { server, status: "unreachable", size: 0, error: error.message };
  }
}

/** Show the overlay in a tab. Pages of the browser itself and its store admit no extension: there, a tab of ours shows it. */
async function openOverlay(tabId, claim) {
  try {
    await chrome.scripting.executeScript({ target: { tabId }, files: [...OVERLAY_SCRIPTS] });
    await chrome.tabs.sendMessage(tabId, { type: "open", claim });
  } catch (error) {
    console.warn(`no overlay in tab ${tabId}: ${error.message}`);
    await chrome.storage.session.set({ asked: claim });
    await chrome.tabs.create({ url: chrome.runtime.getURL("popup.html") });
  }
}

/** Check the text of the page in a tab; says whether the page can be read, as a value. */
async function checkPage(tabId) {
  try {
    await chrome.scripting.executeScript({ target: { tabId }, files: [...PAGE_SCRIPTS] });
    await chrome.tabs.sendMessage(tabId, { type: "check-page" });
    return { done: true };
  } catch (error) {
    console.warn(`no check of the page in tab ${tabId}: ${error.message}`);
    return { done: false };
  }
}
