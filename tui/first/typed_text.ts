/** What a terminal sends for keys that are no text, and pastes around a text. */
// deno-lint-ignore no-control-regex -- keys are control characters
const SEQUENCE_REGEXP = /\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)?/gs;

/**
 * The text that keys make in an editor of one line, as far as that can be told without one: for a
 * screen that shows what is typed before the editor itself is loaded.
 *
 * @param typed Everything that was typed, as the terminal sent it.
 * @returns What stands behind the last line end.
 */
export function typedText(typed: string): string {
  let text = "";
  for (const character of typed.replaceAll(SEQUENCE_REGEXP, "")) {
    if (character === "\r" || character === "\n") text = "";
    else if (character === "\x7f" || character === "\b") text = text.replace(/.$/su, "");
    else if (character === "\x15" || character === "\x03") text = "";
    else if (character >= " ") text += character;
  }
  return text;
}
