import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { findBlocks } from "../support/markdown.ts";
import { DENO, ROOT } from "../support/paths.ts";
import { withTempDir, writeTree } from "../support/temp.ts";
import { SLUG_PROJECT } from "./_slug_project.ts";

Deno.test("The transcripts of the README are what the commands print", async () => {
  const page = await Deno.readTextFile(`${ROOT}/README.md`);
  const transcripts = findBlocks(page).filter(({ comment }) => comment === "transcript");
  assert.equal(transcripts.length, 2);
  for (const { text } of transcripts) {
    assert.equal(withoutChance(await play(text)), withoutChance(text));
  }
});

/** Runs the commands of a transcript in one project and prints them with what they print. */
async function play(transcript: string): Promise<string> {
  return await withTempDir(async (dir) => {
    const project = join(dir, "project");
    await writeTree(project, SLUG_PROJECT);
    let printed = "";
    for (const [, line = ""] of transcript.matchAll(/^\$ alisio (.*)$/gm)) {
      const id = / resume ([0-9a-f]{8}) "…"\n$/.exec(printed)?.[1] ?? "";
      const args = [...line.replace(/^resume \S+/, `resume ${id}`).matchAll(/"([^"]*)"|\S+/g)];
      printed += `$ alisio ${line}\n`;
      printed += await run(dir, args.map(([word, quoted]) => quoted ?? word));
    }
    return printed;
  });
}

async function run(dir: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await new Deno.Command(DENO, {
    args: ["run", "-A", `${ROOT}/tests/docs/_run_in_terminal.ts`, ...args],
    cwd: join(dir, "project"),
    env: {
      ALISIO_CONFIG_HOME: join(dir, "config"),
      ALISIO_STATE_HOME: join(dir, "state"),
      NO_COLOR: "1",
      // The scripted model runs "deno test", which npx does not put there.
      PATH: `${dirname(DENO)}${Deno.build.os === "windows" ? ";" : ":"}${Deno.env.get("PATH")}`,
    },
    stdin: "null",
  }).output();
  return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
}

/** What differs from run to run: times and ids. */
function withoutChance(text: string): string {
  return text.replaceAll(/ in \d+ ms/g, " in N ms").replaceAll(/resume [0-9a-f]{8}/g, "resume ID");
}
