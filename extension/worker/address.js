/** The address of the app: which ones are allowed, and which permission each needs. */

export const DEFAULT_SERVER = "http://127.0.0.1:7860/";
const LONGEST = 300;
const PRIVATE_IPV4 = /^((10|127)\.\d+|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\.\d+\.\d+$/;

/** What a person typed cannot be used; the message says why and how to mend it. */
export class AddressError extends Error {}

/**
 * The address in its one canonical form, ending in a slash.
 * @param {unknown} typed
 * @returns {string}
 * @throws {AddressError}
 */
export function parseServer(typed) {
  const text = typeof typed === "string" ? typed.trim() : "";
  if (!text) throw new AddressError(`The address is empty: type one such as ${DEFAULT_SERVER}`);
  if (text.length > LONGEST) throw new AddressError(`The address has ${text.length} characters; ${LONGEST} are allowed.`);
  let url;
  try {
    url = new URL(text);
  } catch {
    throw new AddressError(`“${text}” is no address: write it in full, such as ${DEFAULT_SERVER}`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new AddressError(`“${url.protocol}” cannot be used: the address must begin with http:// or https://`);
  }
  if (url.username || url.password) throw new AddressError("The address holds a name or a password: leave them out.");
  if (url.search || url.hash) throw new AddressError("The address has a part after ? or #: leave it out.");
  if (url.protocol === "http:" && !isNear(url.hostname)) {
    throw new AddressError(`Claims would travel to ${url.hostname} for all to read: use https:// beyond your own network.`);
  }
  return url.origin + url.pathname.replace(/\/*$/, "/");
}

/** Whether a host is this machine or one on its own network, where http is common. */
function isNear(host) {
  const name = host.replace(/^\[|\]$/g, "");
  if (name.includes(":")) return name === "::1" || /^f[cd]|^fe80/.test(name);
  return name === "localhost" || name.endsWith(".local") || name.endsWith(".localhost") || PRIVATE_IPV4.test(name) || !name.includes(".");
}

/**
 * The match pattern of the permission that an address needs.
 * @param {string} server as `parseServer` returned it
 */
export function permissionFor(server) {
  return `${new URL(server).origin}/*`;
}
