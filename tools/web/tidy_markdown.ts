const FENCE_REGEXP = /^\s*(`{3,})/;

/**
 * Takes spaces off the ends of lines and empty lines beyond one, except within fenced code.
 *
 * @param markdown The text.
 */
export function tidyMarkdown(markdown: string): string {
  const kept: string[] = [];
  let fence = "";
  for (const line of markdown.split("\n")) {
    const run = FENCE_REGEXP.exec(line)?.[1] ?? "";
    if (fence !== "") {
      kept.push(line);
      if (run.length >= fence.length && line.trim() === run) fence = "";
      continue;
    }
    fence = run;
    const trimmed = line.trimEnd();
    if (trimmed !== "" || (kept.at(-1) ?? "") !== "") kept.push(trimmed);
  }
  return kept.join("\n").trim();
}
