import assert from "node:assert/strict";
import { join } from "node:path";
import { startModel } from "../support/scripted_model.ts";
import { withCli } from "../support/cli_harness.ts";
import { DENO, ROOT } from "../support/paths.ts";
import { smallServer } from "./_mcp.ts";
import { useModel } from "./_support.ts";

const SOURCES = ["cli", "core", "plugins", "sdk", "tools", "tui"];

/** Copies the program, with something in place of each module of MCP that says so when it runs. */
async function copyProgram(folder: string): Promise<void> {
  const copied = await new Deno.Command("cp", {
    args: [
      "-r",
      ...[...SOURCES, "cli.ts", "mod.ts", "deno.json", "deno.lock"].map((name) => join(ROOT, name)),
      folder,
    ],
  }).output();
  assert.ok(copied.success);
  await Promise.all(["core/mcp", "tools/mcp", "tui/mcp"].map((name) => spoil(join(folder, name))));
}

async function spoil(folder: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) await spoil(path);
    else await Deno.writeTextFile(path, 'throw new Error("code of MCP was loaded");\n');
  }
}

Deno.test("alisio run loads no code of MCP without consent, configured servers or not", async () => {
  await using model = await startModel();
  await withCli(async (cli) => {
    const program = join(cli.dir, "program");
    await Deno.mkdir(program);
    await copyProgram(program);
    const run = async (...flags: readonly string[]) => {
      const { code, stdout, stderr } = await new Deno.Command(DENO, {
        args: ["run", "-A", join(program, "cli.ts"), "run", "x", "--json", ...flags],
        cwd: cli.workspace,
        clearEnv: true,
        env: cli.environment,
        stdin: "null",
      }).output();
      const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      return { code, text };
    };
    await useModel(cli, model);
    const without = await run();
    assert.equal(without.code, 0, without.text);
    await useModel(cli, model, { mcp: { servers: { small: smallServer() } } });
    const unused = await run();
    assert.equal(unused.code, 0, unused.text);
    const used = await run("--allow-mcp");
    assert.notEqual(used.code, 0, used.text);
    assert.match(used.text, /core\/mcp\/|code of MCP was loaded/);
  });
});
