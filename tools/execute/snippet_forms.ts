import type { SnippetOrder } from "./snippet_child.ts";

const FENCE_REGEXP = /^\s*```[a-z]*[ \t]*\n([\s\S]*?)\n?```\s*$/i;

/**
 * What a snippet may mean, for a program that can tell which of it is JavaScript: a single
 * expression, whose value it returns, or the body of an async function. Lines keep their numbers.
 *
 * @param code The snippet as the model wrote it, perhaps fenced as in Markdown.
 */
export function snippetForms(code: string): Pick<SnippetOrder, "forms" | "probe"> {
  const fenced = FENCE_REGEXP.exec(code);
  const bare = fenced === null ? code : `${linesBefore(code)}${fenced[1] ?? ""}`;
  const expression = bare.replace(/[\s;]+$/, "");
  // What begins with a brace is a block.
  const mayBeExpression = !expression.trimStart().startsWith("{");
  const body = {
    program: `"use strict";(async () => {\n${bare}\n})`,
    check: `"use strict";(true ? async () => {\n${bare}\n} : 0)`,
  };
  const single = {
    program: `"use strict";(async () => (\n${expression}\n))`,
    check: `"use strict";(async () => [\n${expression}\n])`,
  };
  return {
    forms: mayBeExpression ? [single, body] : [body],
    // It is only read for its first mistake. What it imports is nowhere, so that it never runs.
    probe: `import "nowhere:";export default async () => {\n${bare}\n}`,
  };
}

/** The line breaks up to the line after the fence. */
function linesBefore(code: string): string {
  const fence = code.indexOf("```");
  return "\n".repeat(code.slice(0, fence).split("\n").length);
}
