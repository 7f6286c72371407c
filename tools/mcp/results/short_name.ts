import { printableName } from "../../../core/process/visible_text.ts";
import { previewText } from "../../../core/text/bound_text.ts";

const MAX_NAME_CHARS = 300;

/**
 * A name, an address or a reason that a server sent, on one line and short.
 *
 * @param name Any text.
 */
export function shortName(name: string): string {
  return printableName(previewText(name, MAX_NAME_CHARS).toWellFormed());
}
