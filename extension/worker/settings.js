/** What the user chose. It stays in this browser; pages and content scripts cannot read it. */

import { DEFAULT_SERVER, parseServer } from "./address.js";

export const ALL_SITES = Object.freeze(["http://*/*", "https://*/*"]);

/**
 * @typedef {object} Settings
 * @property {string} server where the app is
 * @property {boolean} web whether the app may search the web for a claim
 * @property {boolean} button whether a button is shown beside selected text
 */

/** @returns {Promise<Settings>} what was stored, with a default in place of whatever is missing or not allowed */
export async function loadSettings() {
  const stored = await chrome.storage.local.get(["server", "web", "button"]);
  let server = DEFAULT_SERVER;
  try {
    server = parseServer(stored.server ?? DEFAULT_SERVER);
  } catch {
    // a stored address that the rules no longer allow is not used
  }
  return Object.freeze({ server, web: stored.web !== false, button: stored.button === true });
}

/** @param {Partial<Settings>} changes */
export async function saveSettings(changes) {
  await chrome.storage.local.set(changes);
}
