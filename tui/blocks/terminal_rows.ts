import { formatDuration } from "../text/format_duration.ts";
import { safeOutput } from "../text/safe_text.ts";
import { type Line, lineOf, span } from "../text/span.ts";
import { wrapAnywhere } from "../text/wrap.ts";
import {
  type BlockLook,
  type Facts,
  MalformedBlockError,
  MAX_BLOCK_CHARS,
  optionalLabel,
  optionalNumber,
} from "./block_facts.ts";

const MAX_LINES = 400;

/**
 * Rows of a `terminal` block: what was run, the end of what it printed, and how it ended.
 *
 * @param block The block.
 * @param look What it is drawn with.
 * @throws {MalformedBlockError} If it is none.
 */
export function terminalRows(block: Facts, look: BlockLook): readonly Line[] {
  if (typeof block.output !== "string") {
    throw new MalformedBlockError("Cannot read block: the output is missing");
  }
  const { width, theme } = look;
  const command = optionalLabel(block.command);
  const lines = safeOutput(block.output.slice(-MAX_BLOCK_CHARS)).replace(/\n+$/, "").split("\n");
  const shown = lines.slice(-MAX_LINES);
  const isCut = block.truncated === true || block.output.length > MAX_BLOCK_CHARS ||
    shown.length < lines.length;
  return [
    ...(command === undefined ? [] : wrapAnywhere([span("$ ", "accent"), span(command)], width)),
    ...(isCut ? [lineOf(`${theme.glyph("ellipsis")} earlier output left out`, "dim")] : []),
    ...shown.flatMap((line) => wrapAnywhere(lineOf(line), width)),
    ...endRows(block),
  ];
}

function endRows(block: Facts): readonly Line[] {
  const exitCode = optionalNumber(block.exitCode);
  const durationMs = optionalNumber(block.durationMs);
  const facts = [
    ...(exitCode === undefined ? [] : [`exit ${exitCode}`]),
    ...(durationMs === undefined ? [] : [formatDuration(durationMs)]),
  ];
  if (facts.length === 0) return [];
  const role = exitCode === undefined ? "dim" : exitCode === 0 ? "success" : "error";
  return [lineOf(facts.join(" · "), role)];
}
