/** The options: the app's address, the button beside selected text, the web. */

import { AddressError, DEFAULT_SERVER, parseServer, permissionFor } from "./worker/address.js";
import { ALL_SITES, loadSettings, saveSettings } from "./worker/settings.js";

const [form, server, said, button, buttonSaid, web, attempt] = ["form", "server", "server-said", "button", "button-said", "web", "try"].map(
  (id) => document.getElementById(id),
);

globalThis.claimVerifier.dress(document);
await show();

/** Put the settings into the form; the button counts as on only while the browser still grants what it needs. */
async function show() {
  const settings = await loadSettings();
  server.value = settings.server;
  web.checked = settings.web;
  button.checked = settings.button && (await chrome.permissions.contains({ origins: [...ALL_SITES] }));
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  let address;
  try {
    address = parseServer(server.value || DEFAULT_SERVER);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    refuse(error.message);
    return;
  }
  // Asked before anything is awaited: the browser allows the question only as the direct answer to a click.
  const asking = chrome.permissions.request({ origins: [permissionFor(address)] });
  void save(address, asking);
});

async function save(address, asking) {
  let granted = false;
  said.textContent = "If the browser asks, allow it.";
  try {
    granted = await asking;
  } catch (error) {
    refuse(`The browser accepts no such address: ${error.message}`);
    return;
  }
  if (!granted) {
    refuse(`Not saved: the browser was told not to let this extension talk to ${address}`);
    return;
  }
  const { server: before } = await loadSettings();
  await saveSettings({ server: address });
  if (permissionFor(before) !== permissionFor(address)) await giveBack([permissionFor(before)]);
  server.value = address;
  server.removeAttribute("aria-invalid");
  await tryIt("Saved. ");
}

function refuse(message) {
  server.setAttribute("aria-invalid", "true");
  said.textContent = message;
  server.focus();
}

/** Give up a permission that is no longer needed; that for the default address cannot be given up, and need not. */
async function giveBack(origins) {
  try {
    await chrome.permissions.remove({ origins });
  } catch (error) {
    console.info(`kept ${origins.join(", ")}: ${error.message}`);
  }
}

attempt.addEventListener("click", () => tryIt(""));

/** Ask the app at the saved address whether it is there, and say so. */
async function tryIt(before) {
  said.textContent = `${before}Asking the app …`;
  const answer = await chrome.runtime.sendMessage({ type: "health" });
  const words = {
    ok: `The app at ${answer.server} is ready, with ${answer.size} pieces of evidence.`,
    loading: `The app at ${answer.server} is loading its models: it will be ready in a few seconds.`,
  };
  said.textContent = before + (words[answer.status] ?? answer.error);
}

web.addEventListener("change", () => saveSettings({ web: web.checked }));

button.addEventListener("change", () => {
  const wanted = button.checked;
  const asking = wanted ? chrome.permissions.request({ origins: [...ALL_SITES] }) : Promise.resolve(false);
  void switchButton(wanted, asking);
});

async function switchButton(wanted, asking) {
  const granted = await asking;
  await saveSettings({ button: granted });
  if (!wanted) await leaveSites();
  const { done, error } = await chrome.runtime.sendMessage({ type: "button" });
  button.checked = granted;
  if (!done) buttonSaid.textContent = `The browser did not switch the button: ${error}. Switch it again.`;
  else if (wanted && !granted) buttonSaid.textContent = "Left off: the browser was told not to give access to all sites.";
  else buttonSaid.textContent = granted ? "On, in pages that are open, too." : "Off.";
}

/** Give up all sites; if the address of the app was covered by them, it has to be allowed anew. */
async function leaveSites() {
  await giveBack([...ALL_SITES]);
  const { server: address } = await loadSettings();
  if (!(await chrome.permissions.contains({ origins: [permissionFor(address)] }))) {
    said.textContent = `Press “Save” to allow ${address} again: the access to all sites had covered it.`;
  }
}
