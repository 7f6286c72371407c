import assert from "node:assert/strict";
import { type CliOptions, shown, withCli } from "../support/cli_harness.ts";
import { callTurn, startModel } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { assertResumes, canRun, isGone, onlySession, sessionIds, useModel } from "./_support.ts";

/** Gives the command line a terminal of its own, which is fed from standard input. */
const IN_TERMINAL: CliOptions = {
  stdin: "open",
  wrap: ["bash", "-c", 'exec script -qec "exec $(printf "%q " "$@")" /dev/null', "bash"],
};

const HAS_TERMINAL = Deno.build.os === "linux" &&
  await canRun(["script", "-qec", "true", "/dev/null"]);

const CTRL_C = Uint8Array.of(3);

Deno.test({
  name:
    "alisio run shows progress at a terminal, and ends on Ctrl+C with what it runs (field case 89)",
  ignore: !HAS_TERMINAL,
  fn: async () => {
    const evil = "\x1b]0;title\x07\x1b[2J\x9b31m";
    await using model = await startModel((server) => [
      chatReply({
        text: `I look\n${evil}`,
        calls: [{ id: "a", name: "read_file", arguments: { path: evil } }],
      }),
      callTurn(["shell", { command: `${server.report("tool")}; sleep 60` }]),
    ]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      const run = cli.start(["run", "x", "--allow-process"], IN_TERMINAL);
      const pid = await model.reported("tool");
      await run.stdin.write(CTRL_C);
      const result = await run.ended;
      assert.equal(result.status, 130, shown(result));
      assert.ok(await isGone(pid), "the command still runs");
      assert.match(
        result.stdout,
        /I look\r\n\\x1b\]0;title\\x07\\x1b\[2J\\u009b31m\r\n→ read_file /,
      );
      assert.match(
        result.stdout,
        /→ shell .*alisio: Stopped by SIGINT\r\nThe session is kept: ali/s,
      );
      // deno-lint-ignore no-control-regex -- what must not be there
      assert.doesNotMatch(result.stdout.replace("^C", ""), /[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]/);
      await assertResumes(cli, await onlySession(cli));
    });
  },
});

Deno.test({
  name: "alisio run waits for no standard input at a terminal",
  ignore: !HAS_TERMINAL,
  fn: async () => {
    await using model = await startModel();
    await withCli(async (cli) => {
      await useModel(cli, model);
      const result = await cli.run(["run", "x"], IN_TERMINAL);
      assert.equal(result.status, 0, shown(result));
      assert.match(result.stdout, /^Done\r\n/);
      assert.ok(result.durationMs < 2_500, `${result.durationMs} ms`);
      const nothing = await cli.run(["run"], IN_TERMINAL);
      assert.equal(nothing.status, 2, shown(nothing));
      assert.match(nothing.stdout, /Prompt is empty/);
    });
  },
});

Deno.test({
  name: "alisio sessions delete asks at a terminal, and takes Ctrl+C for no",
  ignore: !HAS_TERMINAL,
  fn: async () => {
    await using model = await startModel();
    await withCli(async (cli) => {
      await useModel(cli, model);
      await cli.run(["run", "x"]);
      const session = await onlySession(cli);
      const rows: readonly (readonly [Uint8Array, number, number])[] = [
        [CTRL_C, 130, 1],
        [new TextEncoder().encode("n\n"), 0, 1],
        [new TextEncoder().encode("\x04"), 0, 1],
        [new TextEncoder().encode("yes\n"), 0, 0],
      ];
      for (const [answer, status, left] of rows) {
        const run = cli.start(["sessions", "delete", session], IN_TERMINAL);
        await run.outputText(/for good\? \[y\/N\] $/);
        await run.stdin.write(answer);
        const result = await run.ended;
        assert.equal(result.status, status, shown(result));
        assert.equal((await sessionIds(cli)).length, left, shown(result));
      }
    });
  },
});
