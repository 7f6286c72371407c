/** What ripgrep's JSON lines say, as far as a search needs it. */
export type RipgrepEvent =
  | { readonly type: "begin"; readonly path: Uint8Array }
  | {
    readonly type: "match";
    /** From 1; null where the line was too long to be read whole. */
    readonly lineNumber: number | null;
    readonly line: Uint8Array | null;
    /** Where the first match is in `line`, in bytes. */
    readonly start: number;
    /** Where `line` begins in the text of the file, in bytes of UTF-8 after a byte-order mark. */
    readonly offset: number;
  }
  | { readonly type: "end"; readonly isBinary: boolean }
  | { readonly type: "summary" };

/**
 * Parses one JSON line of ripgrep.
 *
 * @param record The line.
 * @param isComplete Whether the line is whole.
 * @returns The event, or null for a line that means nothing to a search.
 */
export function parseRipgrepEvent(record: Uint8Array, isComplete: boolean): RipgrepEvent | null {
  const text = new TextDecoder().decode(record);
  if (!isComplete) {
    return text.startsWith('{"type":"match"')
      ? { type: "match", lineNumber: null, line: null, start: 0, offset: 0 }
      : null;
  }
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(event) || !isObject(event["data"])) return null;
  const data = event["data"];
  switch (event["type"]) {
    case "begin":
      return { type: "begin", path: bytesOf(data["path"]) };
    case "match":
      return parseMatch(data);
    case "end":
      return { type: "end", isBinary: typeof data["binary_offset"] === "number" };
    case "summary":
      return { type: "summary" };
    default:
      return null;
  }
}

function parseMatch(data: Readonly<Record<string, unknown>>): RipgrepEvent {
  const first: unknown = Array.isArray(data["submatches"]) ? data["submatches"][0] : undefined;
  const start = isObject(first) && typeof first["start"] === "number" ? first["start"] : 0;
  const lineNumber = typeof data["line_number"] === "number" ? data["line_number"] : null;
  const offset = typeof data["absolute_offset"] === "number" ? data["absolute_offset"] : 0;
  return { type: "match", lineNumber, line: bytesOf(data["lines"]), start, offset };
}

/** ripgrep writes text as text and everything that is not UTF-8 as base64. */
function bytesOf(value: unknown): Uint8Array {
  if (!isObject(value)) return new Uint8Array(0);
  if (typeof value["text"] === "string") return new TextEncoder().encode(value["text"]);
  if (typeof value["bytes"] !== "string") return new Uint8Array(0);
  return Uint8Array.from(atob(value["bytes"]), (character) => character.charCodeAt(0));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
