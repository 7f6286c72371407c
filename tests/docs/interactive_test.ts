import assert from "node:assert/strict";
import { renderStartup } from "../../core/startup/render_startup.ts";
import { startupTips } from "../../core/startup/startup_sections.ts";
import { VERSION } from "../../core/version.ts";
import { LINE_COMMANDS } from "../../cli/talk/commands.ts";
import { withCli } from "../support/cli_harness.ts";
import { findBlocks, tableUnder } from "../support/markdown.ts";
import { HAS_TERMINAL, IN_TERMINAL, Person } from "../support/person.ts";
import { writeTree } from "../support/temp.ts";
import { readPage } from "./_pages.ts";
import { SLUG_PROJECT } from "./_slug_project.ts";

const PAGE = "docs/interactive.md";
/** A line that a person typed: a prompt, or the answer to a question. */
const TYPED_REGEXP = /^(?:(?<prompt>› )|▞▞ [a-z/]+: )(?<keys>.*)$/gm;

Deno.test({
  name: `The transcript of ${PAGE} is what happens in a conversation`,
  ignore: !HAS_TERMINAL,
  fn: async () => {
    const [block, ...others] = findBlocks(await readPage(PAGE))
      .filter(({ comment }) => comment === "conversation");
    assert.ok(block !== undefined && others.length === 0);
    assert.equal(withoutChance(await play(block.text)), withoutChance(block.text));
  },
});

Deno.test(`${PAGE} shows the startup screen`, async () => {
  const block = findBlocks(await readPage(PAGE))
    .find(({ comment }) => comment === "startup screen");
  const drawn = renderStartup({ ranked: () => [], failed: () => assert.fail() }, {
    version: VERSION,
    cwd: "~/slug",
    model: "qwen3-coder",
    provider: "127.0.0.1:11434",
    userName: "ana",
    terminal: { color: false, unicode: true, columns: 80, interactive: true },
    plugins: [],
    tips: startupTips(0, 1),
    facts: [{ label: "Permission", value: "ask" }],
  });
  assert.equal(block?.text, `${drawn.join("\n")}\n`);
});

Deno.test(`${PAGE} lists the commands`, async () => {
  const { rows } = tableUnder(await readPage(PAGE), "Commands");
  assert.deepEqual(
    rows.map(([command]) => command?.replaceAll("\\|", "|")),
    LINE_COMMANDS.map(({ name, usage }) => `\`${`${name} ${usage}`.trim()}\``),
  );
});

/** Types what the transcript has, and answers what is on the screen in the end. */
async function play(transcript: string): Promise<string> {
  let printed = "";
  await withCli(async (cli) => {
    await writeTree(cli.workspace, SLUG_PROJECT);
    const [, line = ""] = /^\$ alisio (.*)$/m.exec(transcript) ?? [];
    // Every conversation with this person is one in lines.
    const args = line.split(" ").filter((word) => word !== "--no-tui");
    const person = new Person(cli.start(args, IN_TERMINAL));
    for (const { groups } of transcript.matchAll(TYPED_REGEXP)) {
      if (groups?.prompt === undefined) await person.asked();
      else await person.atPrompt();
      await person.type(`${groups?.keys}\r`);
    }
    const { stdout } = await person.run.ended;
    // deno-lint-ignore no-control-regex -- what the line editor prints
    const text = stdout.replaceAll(/\x1b\[[0-9;?]*[A-Za-z]|\r/g, "");
    printed = `$ alisio ${line}\n${text.replaceAll(cli.workspace, "/home/ana/slug")}`;
  });
  return printed;
}

/** What differs from run to run, and from machine to machine. */
function withoutChance(text: string): string {
  return text.replaceAll(/ in \d+ ms/g, " in N ms")
    .replaceAll(/resume [0-9a-f]{8}/g, "resume ID")
    .replaceAll(/Alisio \S+ in/g, "Alisio VERSION in")
    .replaceAll(/program: \S+(?:\n {4}\S+)*/g, "program: PATH").trim();
}
