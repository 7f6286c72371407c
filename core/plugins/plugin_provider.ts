import type { ProviderRegistration } from "@alisio/sdk";
import { isObject } from "../config/is_object.ts";

const METHOD_ID_REGEXP = /^[a-z0-9_-]{1,40}$/;
const HOST_REGEXP = /^https?:\/\/[^\s/?#@]{1,260}\/?$/;

const ID_REGEXP = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/**
 * Checks what a plugin says of a kind of provider. A built-in one cannot be replaced: it is given
 * the person's keys.
 *
 * @param registration What the plugin registers.
 * @param reserved Ids that it may not have.
 * @returns The same.
 * @throws {TypeError} If it is no provider that could be used.
 */
export function checkedProvider(
  registration: ProviderRegistration,
  reserved: readonly string[],
): ProviderRegistration {
  const given: unknown = registration;
  if (!isObject(given)) throw new TypeError("Cannot register a provider: it is no object");
  const { id, name, fields, create } = given;
  if (typeof id !== "string" || !ID_REGEXP.test(id)) {
    throw new TypeError(
      "Cannot register a provider: its id is no text of 1 to 64 lowercase letters, digits, dots, " +
        "hyphens and underscores",
    );
  }
  const flaw = reserved.includes(id)
    ? "a built-in provider has that id"
    : typeof name !== "string"
    ? "its name is no text"
    : !Array.isArray(fields)
    ? "its fields are no list"
    : !fields.every(isField)
    ? "a field of it has no name or no label"
    : typeof create !== "function"
    ? "it has no function create(request)"
    : flawOfAuth(given["auth"]) ?? flawOfHosts(given["hosts"]);
  if (flaw === null) return registration;
  throw new TypeError(`Cannot register provider "${id}": ${flaw}`);
}

function isField(field: unknown): boolean {
  return isObject(field) && typeof field["name"] === "string" && field["name"] !== "" &&
    typeof field["label"] === "string";
}

function flawOfAuth(auth: unknown): string | null {
  if (auth === undefined) return null;
  if (!Array.isArray(auth)) return "its ways to sign in, auth, are no list";
  const ids = auth.map((each) => isObject(each) ? each["id"] : undefined);
  const flaws = auth.map((each: unknown, index) => {
    if (!isObject(each)) return "a way to sign in is no object";
    const { id, label, kind, start, refresh } = each;
    if (typeof id !== "string" || !METHOD_ID_REGEXP.test(id)) {
      return "a way to sign in has no id of 1 to 40 lowercase letters, digits, hyphens and underscores";
    }
    if (ids.indexOf(id) !== index) return `two ways to sign in have the id "${id}"`;
    if (typeof label !== "string") return `the label of sign-in "${id}" is no text`;
    if (kind !== "oauth") return `the kind of sign-in "${id}" is not "oauth"`;
    if (typeof start !== "function") return `sign-in "${id}" has no function start(context)`;
    return refresh === undefined || typeof refresh === "function"
      ? null
      : `refresh of sign-in "${id}" is no function`;
  });
  return flaws.find((flaw) => flaw !== null) ?? null;
}

function flawOfHosts(hosts: unknown): string | null {
  const isUsable = hosts === undefined ||
    (Array.isArray(hosts) && hosts.every((host) => HOST_REGEXP.test(String(host))));
  return isUsable ? null : "its hosts are no list of addresses such as https://auth.example.com";
}
