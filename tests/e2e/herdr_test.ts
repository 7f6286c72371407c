import assert from "node:assert/strict";
import { join } from "node:path";
import { type CliResult, dataOf, jsonLines, shown, withCli } from "../support/cli_harness.ts";
import type { CliScene } from "../support/cli_harness.ts";
import {
  agentList,
  type FakeBehaviour,
  type FakeHerdr,
  startHerdr,
} from "../support/fake_herdr.ts";
import { HAS_TERMINAL, IN_TERMINAL, Person } from "../support/person.ts";
import { callTurn, startModel } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { useModel } from "./_support.ts";

const IGNORED = Deno.build.os === "windows";

const AGENTS: FakeBehaviour = (args) =>
  args[1] === "list"
    ? agentList([{ pane_id: "w1:p2", agent: "claude", agent_status: "idle", name: "reviewer" }])
    : {};

interface Scene {
  readonly cli: CliScene;
  readonly herdr: FakeHerdr;
  /** A run in which the model makes calls, inside Herdr. */
  run(calls: readonly unknown[], flags?: readonly string[]): Promise<CliResult>;
}

async function inHerdr(fn: (scene: Scene) => Promise<void>): Promise<void> {
  await withCli(async (cli) => {
    await using herdr = await startHerdr(join(cli.dir, "herdr"), AGENTS);
    await fn({
      cli,
      herdr,
      run: async (calls, flags = []) => {
        const turns = [...calls.length === 0 ? [] : [{ calls }], { text: "Done" }];
        await Deno.writeTextFile(join(cli.workspace, "s.json"), JSON.stringify({ turns }));
        return await cli.run(
          ["run", "hi", "--model", "scripted/s.json", "--json", ...flags],
          { env: herdr.env },
        );
      },
    });
  });
}

/** States and releases, in the order of their numbers, which must rise. */
function statesOf({ calls }: Pick<FakeHerdr, "calls">): readonly string[] {
  const numbers = calls.map((args) => Number(args[args.indexOf("--seq") + 1]));
  assert.deepEqual(numbers, [...new Set(numbers)].sort((a, b) => a - b));
  return calls.map((args) =>
    args[1] === "release-agent" ? "released" : args[args.indexOf("--state") + 1] ?? ""
  );
}

Deno.test({
  name: "alisio run reports its states to Herdr behind the second wall, and releases the pane",
  ignore: IGNORED,
  fn: () =>
    inHerdr(async ({ cli, herdr, run }) => {
      const result = await run([{ name: "list_files", arguments: {} }]);
      assert.equal(result.status, 0, shown(result));
      assert.equal(result.stderr, "");
      const states = statesOf(herdr);
      // A state that was over before it could be reported may be left out.
      assert.deepEqual(states.filter((state) => state !== "idle"), ["working", "released"]);
      const session = jsonLines(result)[0]?.sessionId ?? "none";
      const [first = []] = herdr.calls;
      assert.equal(first[first.indexOf("--agent-session-id") + 1], session);
      assert.ok(!herdr.variables.some((name) => name.startsWith("ALISIO_")), `${herdr.variables}`);
      // A server that is not there.
      const failed = await cli.run(
        ["run", "hi", "--model", "m", "--base-url", "http://127.0.0.1:9/v1"],
        { env: herdr.env },
      );
      assert.notEqual(failed.status, 0);
      assert.equal(statesOf(herdr).at(-1), "released");
    }),
});

Deno.test({
  name: "alisio run tells Herdr nothing with --no-herdr, with --read-only, and outside of it",
  ignore: IGNORED,
  fn: () =>
    inHerdr(async ({ cli, herdr, run }) => {
      for (const flags of [["--no-herdr"], ["--read-only"], ["--disable-plugin", "herdr"]]) {
        const result = await run([], flags);
        assert.deepEqual([result.status, result.stderr], [0, ""], shown(result));
      }
      const outside = await cli.run(["run", "hi", "--model", "scripted/s.json"], {
        env: { ...herdr.env, HERDR_ENV: "" },
      });
      assert.equal(outside.status, 0, shown(outside));
      assert.deepEqual(herdr.calls, []);
    }),
});

Deno.test({
  name: "alisio run --allow-agents talks to another agent behind the second wall, once",
  ignore: IGNORED,
  fn: () =>
    inHerdr(async ({ herdr, run }) => {
      const prompt = {
        name: "herdr_prompt",
        arguments: { target: "reviewer", text: "Look at $(id)" },
      };
      const result = await run([prompt], ["--allow-agents", "--no-herdr"]);
      assert.equal(result.status, 0, shown(result));
      assert.equal(
        dataOf(result, "tool_completed").preview,
        "Sent to pane w1:p2  name reviewer  claude, idle",
      );
      assert.deepEqual(herdr.calls, [
        ["agent", "list"],
        ["agent", "prompt", "w1:p2", "Look at $(id)"],
      ]);
      // Permission for agents is none for anything else.
      const other = await run([{ name: "shell", arguments: { command: "id" } }], [
        "--allow-agents",
      ]);
      assert.equal(dataOf(other, "tool_completed").isError, true);
    }),
});

Deno.test({
  name: "The tools for agents are offered with --allow-agents alone, and never with --read-only",
  ignore: IGNORED,
  fn: () =>
    inHerdr(async ({ cli, herdr }) => {
      for (
        const [flags, env, offered, said] of [
          [["--allow-agents"], herdr.env, 4, ""],
          [["--allow-external"], herdr.env, 0, ""],
          [["--allow-agents", "--read-only"], herdr.env, 0, '"--allow-agents" has no effect with'],
          [["--allow-agents"], {}, 0, '"--allow-agents" has no effect outside a pane of Herdr'],
        ] as const
      ) {
        await using model = await startModel();
        const result = await cli.run(
          ["run", "hi", "--json", "--model", "stub", "--base-url", model.baseUrl, ...flags],
          { env },
        );
        assert.equal(result.status, 0, shown(result));
        assert.ok(result.stderr.startsWith(said), result.stderr);
        const names = new Set((await model.chat(0)).body.match(/"herdr_[a-z]+"/g));
        assert.equal(names.size, offered, flags.join(" "));
      }
    }),
});

Deno.test({
  name: "alisio run goes on where Herdr cannot be reached, and says so once",
  ignore: IGNORED,
  fn: () =>
    inHerdr(async ({ cli, herdr, run }) => {
      await Deno.remove(herdr.env.HERDR_BIN_PATH ?? "");
      const result = await run([]);
      assert.equal(result.status, 0, shown(result));
      assert.match(result.stderr, /^Cannot report to Herdr what Alisio does: .*--no-herdr.*\n$/);
      const quiet = await cli.run(["run", "hi", "--model", "scripted/s.json", "--quiet"], {
        env: herdr.env,
      });
      assert.equal(quiet.stderr, "");
    }),
});

Deno.test({
  name: "A conversation inside Herdr is idle when it is ready, works, and asks about no agent",
  ignore: !HAS_TERMINAL,
  fn: () =>
    inHerdr(async ({ cli, herdr }) => {
      const message = { target: "reviewer", text: "Look" };
      await using model = await startModel([
        callTurn(["herdr_prompt", message]),
        chatReply({ text: "Sent it" }),
      ]);
      await useModel(cli, model);
      const run = cli.start(["--allow-agents"], { ...IN_TERMINAL, env: herdr.env });
      const person = new Person(run);
      await person.atPrompt();
      await herdr.started(1);
      await person.type("ask the reviewer\r");
      await person.atPrompt();
      await person.type("/exit\r");
      const result = await run.ended;
      assert.equal(result.status, 0, shown(result));
      assert.match(result.stdout, /Sent it/);
      const reports = herdr.calls.filter(([what]) => what === "pane");
      const states = statesOf({ calls: reports });
      assert.deepEqual([states[0], states[1], states.at(-1)], ["idle", "working", "released"]);
      // There is no session before the first prompt.
      assert.equal(reports[0]?.includes("--agent-session-id"), false);
      assert.equal(reports[1]?.includes("--agent-session-id"), true);
      const prompts = herdr.calls.filter(([, verb]) => verb === "prompt");
      assert.deepEqual(prompts, [["agent", "prompt", "w1:p2", "Look"]]);
    }),
});

Deno.test({
  name: "alisio run that is ended by a signal releases its pane",
  ignore: IGNORED,
  fn: () =>
    inHerdr(async ({ cli, herdr }) => {
      await using model = await startModel([{ framing: "raw", steps: [{ do: "hang" }] }]);
      await useModel(cli, model);
      const run = cli.start(["run", "hi"], { env: herdr.env });
      await model.chat(0);
      await herdr.started(1);
      run.kill("SIGTERM");
      assert.equal((await run.ended).status, 143);
      const states = statesOf(herdr);
      assert.deepEqual([states[0], states.at(-1)], ["working", "released"]);
    }),
});
