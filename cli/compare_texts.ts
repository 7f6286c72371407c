import { createDiffPart } from "../tools/unified_diff.ts";

/** More than two plans of the greatest length. */
const MAX_BYTES = 1024 * 1024;

/** Lines of a patch that name files. */
const NAMING_LINES = 2;

/**
 * What changed between two texts, as lines that begin with `+`, `-`, a space or `@@`.
 *
 * @param before The earlier one.
 * @param after The later one.
 * @returns None where nothing changed but ends of lines.
 */
export async function compareTexts(before: string, after: string): Promise<readonly string[]> {
  const [old, fresh] = [before, after].map((text) => `${text.replace(/\r\n?/g, "\n").trimEnd()}\n`);
  if (old === undefined || fresh === undefined || old === fresh) return [];
  const { block } = await createDiffPart({ path: "text", before: old, after: fresh }, {
    maxBytes: MAX_BYTES,
  });
  const patch = block.kind === "diff" ? block.patch ?? "" : "";
  return patch.trimEnd().split("\n").slice(NAMING_LINES);
}
