/** What a tool is found by. */
export interface RankedTool {
  readonly name: string;
  readonly server: string;
  readonly tool: string;
  readonly title?: string;
  readonly description: string;
}

/**
 * The tools that fit some words, the best first: a word in a name counts most, then one in the name
 * of the server, then one in the description. Pure.
 *
 * @param tools The tools.
 * @param query Words; none means all tools.
 */
export function rankTools<T extends RankedTool>(tools: readonly T[], query: string): readonly T[] {
  const words = [...new Set(wordsOf(query))];
  if (words.length === 0) return tools;
  return tools.map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ tool }) => tool);
}

function scoreOf(tool: RankedTool, words: readonly string[]): number {
  const name = wordsOf(`${tool.tool} ${tool.title ?? ""}`);
  const server = wordsOf(tool.server);
  const description = wordsOf(tool.description);
  return words.reduce(
    (sum, word) =>
      sum + 8 * fit(name, word) + 4 * fit(server, word) + fit(description, word) +
      (tool.name === word ? 100 : 0),
    0,
  );
}

/** A word counts whole, and half where it only begins one, as `issue` does `issues`. */
function fit(words: readonly string[], word: string): number {
  if (words.includes(word)) return 1;
  const isPart = words.some((each) =>
    word.length > 2 && each.length > 2 && (each.startsWith(word) || word.startsWith(each))
  );
  return isPart ? 0.5 : 0;
}

function wordsOf(text: string): readonly string[] {
  return text.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase()
    .split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}
