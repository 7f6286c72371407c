import assert from "node:assert/strict";
import { TerminalInput } from "../../../tui/first/terminal_input.ts";
import { editExternally } from "../../../tui/editor/external_editor.ts";
import { type CliScene, withCli } from "../../support/cli_harness.ts";
import { withTempDir } from "../../support/temp.ts";
import { HAS_TMUX, startTmux, type TmuxTerminal } from "../../support/tmux.ts";

const ignore = Deno.build.os === "windows";

/** Writes an editor, and answers the command that starts it. */
async function editorOf(dir: string, script: string): Promise<string> {
  await Deno.writeTextFile(`${dir}/my editor`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return `"${dir}/my editor" --wait`;
}

function tmuxTest(
  name: string,
  script: string,
  fn: (tmux: TmuxTerminal, cli: CliScene) => Promise<void>,
): void {
  Deno.test({
    name,
    ignore: !HAS_TMUX,
    async fn() {
      await withCli(async (cli) => {
        const turns = `${cli.dir}/script.json`;
        await Deno.writeTextFile(turns, JSON.stringify({ turns: [{ text: "Answered." }] }));
        const env = { EDITOR: await editorOf(cli.dir, script) };
        const args = ["--model", `scripted/${turns}`];
        await using tmux = await startTmux(cli, { args, env });
        await tmux.sees(/Workspace/);
        await tmux.type("draft");
        await tmux.sees(/› draft/);
        await tmux.press("C-g");
        await fn(tmux, cli);
        for await (const { name: left } of Deno.readDir(cli.stateHome)) {
          assert.ok(!left.startsWith("prompt-"), left);
        }
      });
    },
  });
}

tmuxTest(
  "The editor of the person gets the terminal, and every key",
  'stat -c %a "$2" >mode; echo "EDITING $(cat "$2")"; head -n 1 >>"$2"; head -n 1 >>"$2"',
  async (tmux, cli) => {
    await tmux.sees(/EDITING draft/);
    await tmux.type("one\rtwo 한\r");
    await tmux.sees(/› draftone\n +two 한/);
    assert.equal(await Deno.readTextFile(`${cli.workspace}/mode`), "600\n");
    await tmux.type("!");
    await tmux.press("Enter");
    await tmux.sees(/two 한!\n[^]*Answered\./);
  },
);

tmuxTest(
  "Ctrl+C in the editor of the person ends neither it nor the conversation",
  `trap 'echo stopped >"$2"; exit 0' INT; echo EDITING; while :; do sleep 0.05; done`,
  async (tmux) => {
    await tmux.sees(/EDITING/);
    await tmux.press("C-c");
    await tmux.sees(/› stopped/);
    await tmux.press("Enter");
    await tmux.sees(/Answered\./);
  },
);

tmuxTest("An editor that fails leaves the prompt as it was", "exit 3", async (tmux) => {
  await tmux.sees(/ended with status 3; the text is as it was[^]*› draft/);
});

Deno.test(
  { name: "editExternally() says why no editor is opened", ignore },
  () =>
    withTempDir(async (dir) => {
      const lend = (use: () => Promise<void>) => use();
      const env = { ALISIO_STATE_HOME: `${dir}/state`, VISUAL: " " };
      await assert.rejects(() => editExternally("x", { env, lend }), /set VISUAL or EDITOR/);
      const missing = { ...env, VISUAL: `${dir}/missing` };
      await assert.rejects(
        () => editExternally("x", { env: missing, lend }),
        /ended with status 127/,
      );
      const long = { ...env, EDITOR: await editorOf(dir, 'head -c 4000001 /dev/zero >"$2"') };
      await assert.rejects(() => editExternally("x", { env: long, lend }), /longer than a prompt/);
      const visual = {
        ...env,
        EDITOR: "false",
        VISUAL: await editorOf(dir, 'printf "a\\r\\nb\\n" >"$2"'),
      };
      assert.equal(await editExternally("x", { env: visual, lend }), "a\nb");
      assert.deepEqual(await Array.fromAsync(Deno.readDir(`${dir}/state`)), []);
    }),
);

Deno.test({
  name: "editExternally() starts nothing where the run may start no program",
  ignore,
  permissions: { read: true, write: true, env: true, run: ["/usr/bin/git"] },
}, () =>
  withTempDir(async (dir) => {
    const env = { ALISIO_STATE_HOME: dir, EDITOR: `touch ${dir}/ran` };
    const lend = () => assert.fail("the terminal is given away");
    await assert.rejects(
      () => editExternally("x", { env, lend }),
      /this run may start no programs/,
    );
    assert.deepEqual(await Array.fromAsync(Deno.readDir(dir)), []);
  }));

Deno.test("TerminalInput.pause() ends a read with an answer, and keeps what was typed", async () => {
  const seen: string[] = [];
  const reads: ((bytes: Uint8Array) => void)[] = [];
  const waiting: (() => void)[] = [];
  const input = new TerminalInput();
  input.start((into) =>
    new Promise((resolve) => {
      reads.push((bytes) => {
        into.set(bytes);
        resolve(bytes.length);
      });
      waiting.shift()?.();
    })
  );
  const encode = (text: string) => new TextEncoder().encode(text);
  let asked = 0;
  await input.pause({
    terminal: () => {
      asked++;
      reads[0]?.(encode("ab\x1b[?62;4c"));
    },
    person: () => assert.fail("the terminal has answered"),
  });
  assert.deepEqual([asked, reads.length], [1, 1]);
  const again = new Promise<void>((resolve) => waiting.push(resolve));
  input.resume();
  await again;
  const listened = Promise.withResolvers<void>();
  input.listen({
    onBytes: (bytes) => {
      seen.push(new TextDecoder().decode(bytes));
      if (seen.length === 2) listened.resolve();
    },
    onEnd() {},
  });
  reads[1]?.(encode("cd"));
  await listened.promise;
  assert.deepEqual(seen, ["ab", "cd"]);
});

Deno.test("TerminalInput.pause() asks the person where the terminal does not answer", async () => {
  const reads: ((bytes: Uint8Array) => void)[] = [];
  const input = new TerminalInput();
  input.start((into) =>
    new Promise((resolve) =>
      reads.push((bytes) => {
        into.set(bytes);
        resolve(bytes.length);
      })
    )
  );
  await input.pause({ terminal() {}, person: () => reads[0]?.(Uint8Array.of(0x0d)) });
  assert.deepEqual(input.early(), []);
  input.resume();
});
