import { isObject } from "./is_object.ts";

/** Keys of `agent` as other programs spell them, and as they are spelled here. */
const SPELLINGS: Readonly<Record<string, string>> = {
  tool_receipts: "toolReceipts",
  show_in_response: "showInResponse",
  inject_system_prompt: "injectSystemPrompt",
};

/**
 * Renames the keys of `agent` that are written in snake case. One that is there in both spellings
 * stays, and is refused as unknown.
 *
 * @param value The parsed file, not checked yet.
 */
export function withOwnSpelling(value: unknown): unknown {
  if (!isObject(value) || !isObject(value["agent"])) return value;
  return { ...value, agent: rename(value["agent"]) };
}

function rename(section: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(section).map(([name, value]) => {
      const own = Object.hasOwn(SPELLINGS, name) ? SPELLINGS[name] ?? name : name;
      const key = Object.hasOwn(section, own) ? name : own;
      return [key, key === "toolReceipts" && isObject(value) ? rename(value) : value];
    }),
  );
}
