import assert from "node:assert/strict";
import { parseCommandLine } from "../../cli/parse_command_line.ts";
import { listPages } from "../support/generated_pages.ts";
import { findBlocks } from "../support/markdown.ts";
import { ROOT } from "../support/paths.ts";
import { readPage } from "./_pages.ts";

Deno.test("Every command of the pages is one that alisio understands", async () => {
  let count = 0;
  for (const page of await listPages()) {
    for (const { language, text } of findBlocks(await readPage(page))) {
      if (language !== "sh" && language !== "console") continue;
      for (const words of commandsOf(text)) {
        assert.doesNotThrow(() => parseCommandLine(words), `${page}: ${words.join(" ")}`);
        count++;
      }
    }
  }
  assert.ok(count > 30, `found ${count} commands`);
});

Deno.test("Every task of the pages is one of deno.json", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.json`));
  for (const page of await listPages()) {
    for (const [, name = ""] of (await readPage(page)).matchAll(/(?:deno|\d) task ([a-z]+)/g)) {
      assert.ok(Object.hasOwn(tasks, name), `${page}: deno task ${name}`);
    }
  }
});

Deno.test("commandsOf() finds commands in pipes, behind a prompt and before a comment", () => {
  const text =
    "git diff | alisio run \"review it\" | jq -r '.a'\n$ alisio doctor   # all of it\nls\n";
  assert.deepEqual(commandsOf(text), [["run", "review it"], ["doctor"]]);
});

/** The words of every call of `alisio`, as a shell would pass them. */
function commandsOf(text: string): readonly (readonly string[])[] {
  return text.split("\n").flatMap((line) => {
    const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|\S+/g)]
      .map(([word, single, double]) => ({ text: single ?? double ?? word, bare: word }));
    const start = words.findIndex(({ bare }) => bare === "alisio");
    if (start === -1 || words.slice(0, start).some(({ bare }) => !isBefore(bare))) return [];
    const rest = words.slice(start + 1);
    const end = rest.findIndex(({ bare }) => /^(?:[|#>]|&&)/.test(bare));
    return [(end === -1 ? rest : rest.slice(0, end)).map((word) => word.text)];
  });
}

/** What may stand before a command: a prompt, or programs that pipe into it. */
function isBefore(word: string): boolean {
  return ["$", "git", "diff", "|"].includes(word);
}
