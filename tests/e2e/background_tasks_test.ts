import assert from "node:assert/strict";
import { join } from "node:path";
import { shown, withCli } from "../support/cli_harness.ts";
import { callTurn, messagesOf, startModel, toolResults } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { writeTree } from "../support/temp.ts";
import type { RecordedRequest, StubHandler } from "../support/stub_server.ts";
import { isGone, useModel } from "./_support.ts";

const IGNORE = Deno.build.os === "windows";

/** What `bg_run` or another tool answered, as the newest result of a request. */
function lastResult(request: RecordedRequest): Readonly<Record<string, unknown>> {
  return JSON.parse(toolResults(request).at(-1) ?? "{}");
}

/** Calls a tool with the id that the first result of all, that of `bg_run`, holds. */
function aboutFirst(tool: string, rest: Readonly<Record<string, unknown>> = {}): StubHandler {
  return (request) => {
    const { id } = JSON.parse(toolResults(request)[0] ?? "{}");
    return callTurn([tool, { id, ...rest }]);
  };
}

Deno.test({
  name: "alisio run starts, lists, reads and stops a background task",
  ignore: IGNORE,
  fn: async () => {
    await using model = await startModel((server) => [
      callTurn(["bg_run", {
        command: `echo é-one; echo two >&2; pwd; ${server.report("up")}; sleep 60`,
        cwd: "sub",
        label: "server",
      }]),
      async (request) => {
        await server.reported("up");
        return await aboutFirst("bg_output")(request);
      },
      callTurn(["bg_list", {}]),
      aboutFirst("bg_stop"),
      aboutFirst("bg_output", { offset: 2, limit: 3 }),
      callTurn(["bg_output", { id: "01ARZ3NDEKTSV4RRFFQ69G5FAV" }]),
    ]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      await Deno.mkdir(join(cli.workspace, "sub"));
      const result = await cli.run(["run", "x", "--allow-process"]);
      assert.equal(result.status, 0, shown(result));
      const run = lastResult(await model.chat(1));
      const { id } = run;
      assert.match(String(id), /^[0-9A-HJKMNP-TV-Z]{26}$/);
      assert.deepEqual({ ...run, id: "", note: "" }, {
        id: "",
        label: "server",
        status: "running",
        timeout_ms: 3_600_000,
        note: "",
      });
      const text = `é-one\ntwo\n${join(cli.workspace, "sub")}\n`;
      const bytes = new TextEncoder().encode(text).length;
      assert.deepEqual(lastResult(await model.chat(2)), {
        id,
        status: "running",
        text,
        next_offset: bytes,
        eof: false,
      });
      const { tasks } = lastResult(await model.chat(3)) as { tasks: readonly unknown[] };
      assert.equal(tasks.length, 1);
      const stopped = lastResult(await model.chat(4));
      assert.equal(stopped["status"], "cancelled");
      assert.equal(stopped["stopped_by"], "model");
      assert.ok(await isGone(Number(stopped["pid"])));
      const { text: part, next_offset, eof } = lastResult(await model.chat(5));
      assert.deepEqual([part, next_offset, eof], ["-on", 5, false]);
      assert.match(toolResults(await model.chat(6)).at(-1) ?? "", /not found in this session/);
      assert.doesNotMatch(result.stderr, /Stopped 1 background/);
      const sessions = await Array.fromAsync(Deno.readDir(join(cli.stateHome, "tasks")));
      const folder = sessions.find(({ name }) => !name.startsWith("."))?.name ?? "";
      const log = join(cli.stateHome, "tasks", folder, `${id}.log`);
      assert.equal(await Deno.readTextFile(log), text);
      assert.equal(((await Deno.stat(log)).mode ?? 0) & 0o777, 0o600);
      assert.deepEqual(model.violations, []);
    });
  },
});

Deno.test({
  name: "alisio run stops the background tasks that are left at its end, and says so",
  ignore: IGNORE,
  fn: async () => {
    await using model = await startModel((server) => [
      callTurn(["bg_run", {
        command: `trap "" TERM; setsid bash -c '${server.report("fled")}; sleep 60' & ${
          server.report("stays")
        }; sleep 60; sleep 60`,
      }]),
      async () => {
        await Promise.all([server.reported("stays"), server.reported("fled")]);
        return callTurn(["bg_list", {}]);
      },
    ]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      const result = await cli.run(["run", "x", "--allow-process", "--quiet"]);
      assert.equal(result.status, 0, shown(result));
      assert.match(result.stderr, /^Stopped 1 background task at the end of the run: trap .* \(/m);
      assert.ok(await isGone(await model.reported("stays")));
      assert.ok(await isGone(await model.reported("fled")));
    });
  },
});

Deno.test({
  name: "alisio run leaves no background task behind when it is killed, and finds it lost later",
  ignore: IGNORE,
  fn: async () => {
    await using model = await startModel((server) => [
      callTurn(["bg_run", {
        command: `setsid bash -c '${server.report("fled")}; sleep 60' & ${
          server.report("stays")
        }; sleep 60; true`,
      }]),
      async () => {
        await Promise.all([server.reported("stays"), server.reported("fled")]);
        return callTurn(["shell", { command: `${server.report("now")}; sleep 60` }]);
      },
    ]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      const process = cli.start(["run", "x", "--allow-process"]);
      await model.reported("now");
      process.kill("SIGKILL");
      await process.ended;
      assert.ok(await isGone(await model.reported("stays")));
      assert.ok(await isGone(await model.reported("fled")));
      await using later = await startModel([callTurn(["bg_list", {}])]);
      const list = await cli.run(["sessions", "list", "--json"]);
      const { id } = JSON.parse(list.stdout.split("\n")[0] ?? "{}");
      await cli.run(["sessions", "recover", id, "--acknowledge"]);
      const result = await cli.run([
        ...["resume", id, "y", "--allow-process", "--base-url", later.baseUrl],
      ]);
      assert.equal(result.status, 0, shown(result));
      const { tasks } = JSON.parse(toolResults(await later.chat(1)).at(-1) ?? "{}");
      assert.deepEqual(tasks.map(({ status }: { status: string }) => status), ["lost"]);
    });
  },
});

Deno.test({
  name: "alisio run --wait-tasks waits, and lets the model hear in one further run what ended",
  ignore: IGNORE,
  fn: async () => {
    await using model = await startModel([
      callTurn(
        ["bg_run", { command: "sleep 0.5; echo built", label: "build" }],
        ["bg_run", { command: "exit 3", label: "tests" }],
      ),
      chatReply({ text: "Started" }),
      aboutFirst("bg_output"),
      chatReply({ text: "Built" }),
    ]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      const result = await cli.run(["run", "x", "--allow-process", "--wait-tasks=2m"]);
      assert.equal(result.status, 0, shown(result));
      const ids = toolResults(await model.chat(1)).map((text) => JSON.parse(text).id);
      const said = messagesOf(await model.chat(2)).at(-1);
      assert.equal(
        JSON.stringify(said?.["content"]).includes("Background tasks have ended:"),
        true,
      );
      for (
        const end of [`${ids[0]} \\"build\\": succeeded`, `${ids[1]} \\"tests\\": failed`]
      ) {
        assert.ok(JSON.stringify(said?.["content"]).includes(end), JSON.stringify(said));
      }
      assert.equal(lastResult(await model.chat(3))["text"], "built\n");
      assert.equal(result.stdout.trim().split("\n").at(-1), "Built");
      assert.doesNotMatch(result.stderr, /Stopped/);
      assert.equal(model.chats.length, 4);
    });
  },
});

Deno.test({
  name: "alisio run --wait-tasks waits no longer than it may, and a signal ends the wait",
  ignore: IGNORE,
  fn: async () => {
    for (const flag of ["--wait-tasks=1s", "--wait-tasks"]) {
      await using model = await startModel((server) => [
        callTurn(["bg_run", { command: `${server.report("up")}; sleep 60; true` }]),
        chatReply({ text: "Started" }),
      ]);
      await withCli(async (cli) => {
        await useModel(cli, model);
        const process = cli.start(["run", "x", "--allow-process", "--json", flag]);
        const pid = await model.reported("up");
        await process.event("run_completed");
        if (flag === "--wait-tasks") process.kill("SIGTERM");
        const result = await process.ended;
        assert.equal(result.status, flag === "--wait-tasks" ? 143 : 0, shown(result));
        assert.match(result.stderr, /Stopped 1 background task at the end of the run/);
        assert.ok(await isGone(pid));
        assert.equal(model.chats.length, 2);
      });
    }
  },
});

Deno.test("alisio run --wait-tasks takes a duration and nothing else", async () => {
  await withCli(async (cli) => {
    for (const value of ["0s", "25h", "10", "ten", "-1s"]) {
      const result = await cli.run(["run", "x", `--wait-tasks=${value}`]);
      assert.equal(result.status, 2, shown(result));
      assert.match(result.stderr, /"--wait-tasks" needs a duration such as 90s, 10m or 2h/);
    }
  });
});

Deno.test({
  name: "alisio run grades the command of a background task from the folder that it starts in",
  ignore: IGNORE,
  fn: async () => {
    const calls = callTurn(
      ["bg_run", { command: "env" }],
      ["bg_run", { command: "cat ./link", cwd: "sub" }],
      ["bg_run", { command: "cat own", cwd: "sub" }],
    );
    await using model = await startModel([calls]);
    await withCli(async (cli) => {
      await useModel(cli, model, {
        riskProfiles: {
          careful: { level: "supervised", sandboxBackend: "none", allowedCommands: ["cat"] },
        },
        agents: { build: { riskProfile: "careful" } },
      });
      await writeTree(cli.dir, { "outside": "secret", "work/sub/own": "mine" });
      await Deno.symlink(join(cli.dir, "outside"), join(cli.workspace, "sub", "link"));
      const result = await cli.run(["run", "x", "--allow-process"]);
      assert.equal(result.status, 5, shown(result));
      const [listed = "", outside = "", own = ""] = toolResults(await model.chat(1));
      assert.match(listed, /^Refused: .*the command was not run/);
      assert.match(outside, /^Refused: /);
      assert.equal(JSON.parse(own).status, "running");
    });
  },
});

Deno.test("alisio run denies background tasks to the agent that plans", async () => {
  await using model = await startModel([callTurn(["bg_run", { command: "touch ran" }])]);
  await withCli(async (cli) => {
    await useModel(cli, model, { agents: { active: "plan" } });
    const result = await cli.run(["run", "x", "--allow-process"]);
    assert.equal(result.status, 5, shown(result));
    assert.match(toolResults(await model.chat(1))[0] ?? "", /^Refused: /);
    assert.ok(!JSON.stringify((await model.chat(0)).json).includes('"bg_'));
  });
});

Deno.test("alisio run has no tools of background tasks where they are switched off", async () => {
  await using model = await startModel([callTurn(["bg_list", {}])]);
  await withCli(async (cli) => {
    await useModel(cli, model, { tasks: { enabled: false } });
    await cli.run(["run", "x", "--allow-process"]);
    assert.ok(!JSON.stringify((await model.chat(0)).json).includes('"bg_'));
    assert.doesNotMatch(toolResults(await model.chat(1))[0] ?? "", /"tasks"/);
  });
});

for (
  const { name, flags } of [
    { name: "--read-only", flags: ["--read-only", "--allow-process"] },
    { name: "no flag", flags: [] },
  ]
) {
  Deno.test(`alisio run denies all four tools of background tasks with ${name}`, async () => {
    const calls = ["bg_list", "bg_output", "bg_stop", "bg_run"].map((tool) =>
      callTurn([tool, {
        ...(tool === "bg_run" ? { command: "touch ran" } : {}),
        ...(tool === "bg_output" || tool === "bg_stop" ? { id: "x" } : {}),
      }])
    );
    await using model = await startModel(calls);
    await withCli(async (cli) => {
      await useModel(cli, model);
      const result = await cli.run(["run", "x", ...flags]);
      assert.equal(result.status, 5, shown(result));
      const texts = toolResults(await model.chat(calls.length));
      assert.ok(texts.every((text) => text.startsWith("Refused: ")), texts.join("\n"));
      assert.deepEqual(await Array.fromAsync(Deno.readDir(cli.workspace)), []);
      assert.ok(!JSON.stringify((await model.chat(0)).json).includes("bg_run"));
    });
  });
}
