import { safeLine, safeText } from "../text/safe_text.ts";
import { type Line, lineOf } from "../text/span.ts";
import { renderCode } from "../markdown/render_markdown.ts";
import {
  type BlockLook,
  captionRows,
  type Facts,
  MalformedBlockError,
  MAX_BLOCK_CHARS,
  moreRows,
} from "./block_facts.ts";

const MAX_LINES = 200;

/**
 * Rows of a `json` block, indented.
 *
 * @param block The block.
 * @param look What it is drawn with.
 * @throws {MalformedBlockError} If it is none.
 */
export function jsonBlockRows(block: Facts, look: BlockLook): readonly Line[] {
  if (!("value" in block)) throw new MalformedBlockError("Cannot read block: a value is missing");
  return [...jsonRows(block.value, look), ...captionRows(block.caption, look.width)];
}

/**
 * Rows of a block that this version does not know, or that is not what it says.
 *
 * @param block Any value.
 * @param look What it is drawn with.
 */
export function unknownBlockRows(block: unknown, look: BlockLook): readonly Line[] {
  const kind = typeof block === "object" && block !== null && "kind" in block ? block.kind : null;
  const name = typeof kind === "string" && kind !== "" ? safeLine(kind.slice(0, 60)) : "unknown";
  return [lineOf(`[${name}]`, "dim"), ...jsonRows(block, look)];
}

function jsonRows(value: unknown, look: BlockLook): readonly Line[] {
  const text = toJson(value);
  const lines = safeText(text.slice(0, MAX_BLOCK_CHARS)).split("\n");
  const isCut = text.length > MAX_BLOCK_CHARS;
  const shown = lines.slice(0, MAX_LINES);
  return [
    ...renderCode(shown.join("\n"), "json", look, look.width),
    ...isCut && lines.length <= MAX_LINES
      ? moreRows(text.length - MAX_BLOCK_CHARS, "characters", look)
      : moreRows(lines.length - shown.length, "lines", look),
  ];
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? "undefined";
  } catch {
    return "[what cannot be written as JSON]";
  }
}
