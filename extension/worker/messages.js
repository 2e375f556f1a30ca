/** What the parts of the extension may say to the worker. Everything else is dropped. */

const [LONGEST_CLAIM, LONGEST_TEXT] = [20_000, 400_000];

/** Whether a message comes from one of this extension's own pages, and not from a script in somebody's page. */
export function fromOwnPage(sender) {
  return sender?.id === chrome.runtime.id && typeof sender.url === "string" && sender.url.startsWith(chrome.runtime.getURL(""));
}

/** Whether a message comes from this extension at all. */
export function fromUs(sender) {
  return sender?.id === chrome.runtime.id;
}

/**
 * A message of the port "check".
 * @param {unknown} message
 * @returns {{type: "check", claim: string, remember: boolean} | {type: "text", text: string, web: boolean} | {type: "cancel"} | null} null if it is not one
 */
export function parsePortMessage(message) {
  if (message?.type === "cancel") return { type: "cancel" };
  if (message?.type === "text" && typeof message.text === "string") {
    return { type: "text", text: message.text.slice(0, LONGEST_TEXT), web: message.web === true };
  }
  if (message?.type !== "check" || typeof message.claim !== "string") return null;
  // longer texts are cut here, still far above the limit, so that the error tells that they are too long
  return { type: "check", claim: message.claim.slice(0, LONGEST_CLAIM), remember: message.remember === true };
}
