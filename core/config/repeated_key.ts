import { quoted } from "./quoted.ts";

/** A name that stands twice in one object. */
export interface RepeatedKey {
  /** Path of the key, such as `riskProfiles.careful.level`, escaped and cut for a message. */
  readonly key: string;
  /** Where it stands the second time, counted from 1. */
  readonly line: number;
}

/** An object or a list that is open. */
interface Open {
  /** The names so far; `null` for a list. */
  readonly names: Set<string> | null;
  /** The name that the next value belongs to, or the position in a list. */
  at: string;
}

/** Longer paths are cut at their start. */
const MAX_KEY_CHARS = 200;

/**
 * Finds the first name that stands twice in one object of a JSON text. `JSON.parse` takes the last
 * one and says nothing, so that what a person reads first would not count.
 *
 * @param text A text that `JSON.parse` accepts.
 * @returns `null` if there is none.
 */
export function findRepeatedKey(text: string): RepeatedKey | null {
  const open: Open[] = [];
  let isName = false;
  for (let offset = 0; offset < text.length; offset++) {
    const inner = open.at(-1);
    switch (text[offset]) {
      case "{":
        open.push({ names: new Set(), at: "" });
        isName = true;
        break;
      case "[":
        open.push({ names: null, at: "0" });
        isName = false;
        break;
      case "}":
      case "]":
        open.pop();
        isName = false;
        break;
      case ",":
        isName = inner?.names !== null;
        if (inner?.names === null) inner.at = String(Number(inner.at) + 1);
        break;
      case '"': {
        const end = endOfText(text, offset);
        if (isName && inner !== undefined && inner.names !== null) {
          inner.at = JSON.parse(text.slice(offset, end));
          if (inner.names.has(inner.at)) return repeated(text, offset, open);
          inner.names.add(inner.at);
        }
        isName = false;
        offset = end - 1;
        break;
      }
    }
  }
  return null;
}

/** The end of a string of valid JSON, its closing quote included. */
function endOfText(text: string, start: number): number {
  let end = start + 1;
  while (text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return end + 1;
}

function repeated(text: string, offset: number, open: readonly Open[]): RepeatedKey {
  const path = open.map(({ names, at }) => names === null ? `[${at}]` : `.${at}`).join("");
  const key = quoted(path.replace(/^\./, ""), MAX_KEY_CHARS).slice(1, -1);
  return { key, line: text.slice(0, offset).split(/\r\n|\r|\n/).length };
}
