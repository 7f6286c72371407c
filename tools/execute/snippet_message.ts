import type { WorldMessage } from "./snippet_world.ts";

const MAX_NAME_CHARS = 200;

/**
 * Reads one line of the process of a snippet, which is not to be trusted.
 *
 * @param line The line.
 * @returns Null where it is no message.
 */
export function parseSnippetMessage(line: string): WorldMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const { type, id, name, input, text, ok, value: json, cut, error }: Record<string, unknown> = {
    ...value,
  };
  switch (type) {
    case "call":
      if (!Number.isSafeInteger(id) || typeof name !== "string" || typeof input !== "string") {
        return null;
      }
      return { type, id: Number(id), name: name.slice(0, MAX_NAME_CHARS), input };
    case "log":
      return typeof text === "string" ? { type, text } : null;
    case "end":
      if (ok !== true) return typeof error === "string" ? { type, ok: false, error } : null;
      return {
        type,
        ok,
        ...(typeof json === "string" ? { value: json } : {}),
        ...(cut === true ? { cut } : {}),
      };
    default:
      return null;
  }
}
