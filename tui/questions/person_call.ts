import { previewText } from "../../core/text/bound_text.ts";
import { visibleName } from "../../core/process/visible_text.ts";

const MAX_TEXT_CHARS = 200;

/**
 * What calls a person who looks elsewhere to a question.
 *
 * @param text What is asked, in a few words.
 * @param options How the person wants to be called, and whether they look at the terminal; many
 * terminals do not tell, and then they are called.
 * @returns What is written to the terminal; empty where nobody has to be called.
 */
export function personCall(
  text: string,
  { notify, hasFocus }: {
    readonly notify: "off" | "bell" | "osc9";
    readonly hasFocus: boolean | undefined;
  },
): string {
  if (notify === "off" || hasFocus === true) return "";
  if (notify === "bell") return "\x07";
  return `\x1b]9;Alisio: ${visibleName(previewText(text, MAX_TEXT_CHARS))}\x07`;
}
