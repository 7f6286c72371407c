/**
 * Takes spaces off the ends of lines, and empty lines beyond one.
 *
 * @param text The text.
 */
export function tidyLines(text: string): string {
  const lines = text.split("\n").map((line) => line.trimEnd());
  return lines.filter((line, index) => line !== "" || (lines[index - 1] ?? "") !== "")
    .join("\n").trim();
}
