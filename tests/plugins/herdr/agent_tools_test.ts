import assert from "node:assert/strict";
import { textResult, type ToolResult } from "@alisio/sdk";
import { agentTools } from "../../../plugins/herdr/agent_tools.ts";
import type { HerdrPane } from "../../../plugins/herdr/pane.ts";
import {
  agentList,
  type FakeAnswer,
  type FakeHerdr,
  herdrError,
} from "../../support/fake_herdr.ts";
import { inPane } from "./_scene.ts";

const IGNORED = Deno.build.os === "windows";

const AGENTS = agentList([
  { pane_id: "w1:p1", agent: "alisio", agent_status: "working" },
  { pane_id: "w1:p2", agent: "claude", agent_status: "idle", name: "reviewer", cwd: "/home/a" },
  { pane_id: "w1:p3", agent: "pi", agent_status: "done", name: "twin" },
  { pane_id: "w1:p4", agent: "pi\u001b[31m", agent_status: "done", name: "twin" },
]);

async function call(
  pane: HerdrPane,
  name: string,
  input: Readonly<Record<string, unknown>>,
  signal: AbortSignal = new AbortController().signal,
): Promise<ToolResult> {
  const tool = agentTools(pane).find((each) => each.name === name);
  assert.ok(tool !== undefined, name);
  return await tool.execute(input, { signal, workspace: "/", emit: () => {} });
}

/** Inside Herdr, whose answer to anything but a question about agents is given. */
async function withAnswer(
  answer: FakeAnswer | "silence",
  fn: (herdr: FakeHerdr, pane: HerdrPane) => Promise<void>,
): Promise<void> {
  await inPane((args) => args[1] === "list" ? AGENTS : answer, fn);
}

Deno.test({
  name: "herdr_agents lists panes, names and states, and nothing that drives a terminal",
  ignore: IGNORED,
  fn: () =>
    withAnswer({}, async (herdr, pane) => {
      assert.deepEqual(
        await call(pane, "herdr_agents", {}),
        textResult([
          "pane w1:p1  alisio, working  (this is you)",
          "pane w1:p2  name reviewer  claude, idle  in /home/a",
          "pane w1:p3  name twin  pi, done",
          "pane w1:p4  name twin  pi[31m, done",
        ].join("\n")),
      );
      assert.deepEqual(herdr.calls, [["agent", "list"]]);
    }),
});

Deno.test({
  name: "herdr_prompt sends its text as one argument to the pane of a unique name",
  ignore: IGNORED,
  fn: () =>
    withAnswer({ stdout: `{"result":{"type":"agent_prompted"}}` }, async (herdr, pane) => {
      const text = "Say \"hi\" to $HOME; `id` && echo 'x' \\\n second line  --wait";
      for (const target of ["reviewer", "w1:p2"]) {
        const result = await call(pane, "herdr_prompt", { target, text });
        assert.equal(result.isError, undefined, JSON.stringify(result));
        assert.deepEqual(herdr.calls.at(-1), ["agent", "prompt", "w1:p2", text]);
      }
    }),
});

Deno.test({
  name: "herdr_prompt sends nothing to its own pane, an unknown or ambiguous agent, or bad text",
  ignore: IGNORED,
  fn: () =>
    withAnswer({}, async (herdr, pane) => {
      const rows: readonly (readonly [string, string, RegExp])[] = [
        ["w1:p1", "hi", /that pane is the one that you run in yourself/],
        ["claude", "hi", /There is no agent in a pane "claude" or with that name/],
        ["twin", "hi", /2 agents have the name "twin"; name a pane: w1:p3, w1:p4/],
        ["--help", "hi", /There is no agent/],
        ["w1:p2", "--wait", /begins with a dash/],
        ["w1:p2", " \n", /it is empty/],
        ["w1:p2", "a\u001b[2J", /control characters/],
        ["w1:p2", "a\0b", /control characters/],
      ];
      for (const [target, text, expected] of rows) {
        const result = await call(pane, "herdr_prompt", { target, text });
        assert.equal(result.isError, true, target);
        assert.match(JSON.stringify(result).replaceAll('\\"', '"'), expected);
      }
      assert.ok(herdr.calls.every(([, verb]) => verb === "list"), JSON.stringify(herdr.calls));
    }),
});

Deno.test({
  name: "herdr_prompt says of a failure whether the message was sent, and sends none twice",
  ignore: IGNORED,
  fn: async () => {
    const unknown = /It is not known whether the message arrived: .*Do not send it again/;
    const unsent = /Cannot send the message: .*; it was not sent/;
    const rows: readonly (readonly [FakeAnswer, RegExp])[] = [
      [herdrError("agent_blocked", "it waits for a person"), unsent],
      [{ code: 2, stderr: "usage: herdr agent prompt" }, unsent],
      [herdrError("agent_prompt_stalled", "state did not change"), unknown],
      [herdrError("timeout", "too late"), unknown],
      [{ code: 1, stderr: "connection reset" }, unknown],
      [{ code: 139 }, unknown],
    ];
    for (const [answer, expected] of rows) {
      await withAnswer(answer, async (herdr, pane) => {
        const result = await call(pane, "herdr_prompt", { target: "reviewer", text: "hi" });
        assert.equal(result.isError, true);
        assert.match(JSON.stringify(result), expected);
        assert.equal(herdr.calls.filter(([, verb]) => verb === "prompt").length, 1);
      });
    }
  },
});

Deno.test({
  name: "herdr_prompt that is cancelled ends at once and does not know what became of the message",
  ignore: IGNORED,
  fn: () =>
    withAnswer("silence", async (herdr, pane) => {
      const stop = new AbortController();
      const calling = call(pane, "herdr_prompt", { target: "w1:p2", text: "hi" }, stop.signal);
      await herdr.started(2);
      stop.abort();
      assert.match(JSON.stringify(await calling), /not known whether the message arrived/);
    }),
});

Deno.test({
  name: "herdr_read reads the newest lines without what drives a terminal",
  ignore: IGNORED,
  fn: () =>
    withAnswer({ stdout: "one\r\n\u001b[31mtwo\u0007\n\n" }, async (herdr, pane) => {
      const result = await call(pane, "herdr_read", { target: "reviewer", lines: 7 });
      assert.deepEqual(result, textResult("one\n[31mtwo"));
      assert.deepEqual(
        herdr.calls.at(-1),
        ["agent", "read", "w1:p2", "--source", "recent", "--lines", "7", "--format", "text"],
      );
    }),
});

Deno.test({
  name: "herdr_read keeps the end of what is too long",
  ignore: IGNORED,
  fn: () =>
    withAnswer({ stdout: `${"x".repeat(100_000)}\nlast` }, async (_herdr, pane) => {
      const [part] = (await call(pane, "herdr_read", { target: "reviewer" })).content;
      assert.ok(part?.type === "text");
      assert.ok(part.text.startsWith("[the beginning was left out]\n"));
      assert.ok(part.text.endsWith("x\nlast") && part.text.length < 61_000);
    }),
});

Deno.test({
  name: "herdr_wait waits for states, says when time is over, and never waits for itself",
  ignore: IGNORED,
  fn: async () => {
    const info = JSON.stringify({
      result: { type: "agent_info", agent: { agent_status: "done" } },
    });
    await withAnswer({ stdout: info }, async (herdr, pane) => {
      const input = { target: "reviewer", states: ["done", "blocked"], timeoutMs: 500 };
      assert.deepEqual(await call(pane, "herdr_wait", input), textResult("The agent is done"));
      assert.deepEqual(
        herdr.calls.at(-1),
        ["agent", "wait", "w1:p2", "--until", "done", "--until", "blocked", "--timeout", "500"],
      );
      assert.equal((await call(pane, "herdr_wait", { target: "w1:p1" })).isError, true);
    });
    await withAnswer(herdrError("timeout", "timed out"), async (_herdr, pane) => {
      assert.deepEqual(
        await call(pane, "herdr_wait", { target: "reviewer", timeoutMs: 100 }),
        textResult("After 100 ms the agent is still not idle or done or blocked"),
      );
    });
  },
});

Deno.test("The tools say what is wrong where Herdr's program is missing", async () => {
  const pane = { id: "w1:p1", program: "/nowhere/herdr", env: {} };
  for (
    const [name, input] of Object.entries({
      herdr_agents: {},
      herdr_prompt: { target: "a", text: "hi" },
      herdr_read: { target: "a" },
      herdr_wait: { target: "a" },
    })
  ) {
    const result = await call(pane, name, input);
    assert.equal(result.isError, true);
    assert.match(JSON.stringify(result), /Cannot list the agents: Herdr's program was not started/);
  }
});
