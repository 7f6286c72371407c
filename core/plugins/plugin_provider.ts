import type { ProviderRegistration } from "@alisio/sdk";
import { isObject } from "../config/is_object.ts";

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
    : typeof create !== "function"
    ? "it has no function create(request)"
    : null;
  if (flaw === null) return registration;
  throw new TypeError(`Cannot register provider "${id}": ${flaw}`);
}
