import assert from "node:assert/strict";
import { textResult } from "@alisio/sdk";
import type { ApprovalChannel, ApprovalQuestion } from "../../../core/gate/approval.ts";
import { askHere } from "../../../core/gate/approval/approval_plan.ts";
import type { DecisionRecord } from "../../../core/gate/decision_record.ts";
import type { CallContext } from "../../../core/gate/gate.ts";
import { resultText } from "../../../core/tools/result_text.ts";
import { person, tool, withGate } from "../../support/gate_scene.ts";

/** A record in one line: outcome, rule, who, where, and how far a grant reaches. */
function line({ outcome, rule, source, channel, scope }: DecisionRecord): string {
  return [outcome, rule, source, channel, scope].filter((part) => part !== undefined).join(" ");
}

Deno.test("Gate.call() records every decision about a call, in order", async () => {
  const rows: readonly (readonly [string, Parameters<typeof withGate>[0], readonly string[]])[] = [
    ["a flag permits", { allowWrite: true }, ["allowed flags:write policy headless"]],
    ["no flag permits", {}, ["blocked flags:write policy headless"]],
    ["a person permits once", person("once"), [
      "requested flags:write policy host",
      "granted flags:write operator host once",
    ]],
    ["a person permits for the session", person("session"), [
      "requested flags:write policy host",
      "granted flags:write operator host session",
    ]],
    ["a person refuses", person("deny"), [
      "requested flags:write policy host",
      "denied flags:write operator host",
    ]],
  ];
  for (const [name, options, expected] of rows) {
    await withGate(options, async ({ call, decisions }) => {
      await call("change", { path: "a" });
      assert.deepEqual(decisions.map(line), expected, name);
      for (const { callId, tool, effect, arguments: text } of decisions) {
        assert.deepEqual([callId, tool, effect, text], [
          "call_1",
          "change",
          "write",
          '{"path":"a"}',
        ]);
      }
    });
  }
});

Deno.test("Gate.call() records what a grant for the session lets through as allowed", async () => {
  await withGate(person("session"), async ({ call, decisions }) => {
    await call("change", { path: "a" });
    await call("change", { path: "b" });
    assert.deepEqual(decisions.slice(2).map(line), ["allowed session:granted policy host"]);
  });
});

Deno.test("Gate.call() records each question of a call that takes two", async () => {
  await withGate(person("session", "deny"), async ({ folder, call, called, decisions }) => {
    await Deno.mkdir(`${folder}/other`);
    await call("change", { path: "../other/a" });
    assert.deepEqual(decisions.map(line), [
      "requested roots:outside policy host",
      "granted roots:outside operator host session",
      "requested flags:write policy host",
      "denied flags:write operator host",
    ]);
    assert.deepEqual(called, []);
  });
});

Deno.test("Gate.call() records calls without an effect, and no decision about an unknown tool", async () => {
  await withGate({}, async ({ call, decisions }) => {
    await call("look", { path: "a" });
    await call("nothing_of_the_kind", {});
    assert.deepEqual(decisions.map(line), ["allowed flags:read policy headless"]);
  });
});

Deno.test("Gate.call() runs no call whose decision cannot be recorded", async () => {
  for (const outcome of ["allowed", "requested", "granted"]) {
    const asks = outcome !== "allowed";
    const { approver, asked } = person("session");
    await withGate(asks ? { approver } : { allowWrite: true }, async (scene) => {
      const recordDecision = (record: DecisionRecord) => {
        if (record.outcome === outcome) throw new Error("the disk is full");
      };
      await assert.rejects(scene.call("change", {}, { recordDecision }), /the disk is full/);
      assert.deepEqual([scene.called, scene.records], [[], []], outcome);
      assert.equal(asked.length, outcome === "granted" ? 1 : 0, outcome);
      if (!asks) return;
      const verdict = scene.gate.status("s1").find(({ tool }) => tool.name === "change");
      assert.equal(verdict?.decision.decision, "ask", "what was not recorded was not granted");
    });
  }
});

Deno.test("Gate.call() records a question that the end of the run takes back (row R39)", async () => {
  const stop = new AbortController();
  const approver = () => {
    stop.abort(new Error("shutdown"));
    return new Promise<never>(() => {});
  };
  await withGate({ approver }, async ({ call, called, decisions }) => {
    const outcome = await call("change", {}, { signal: stop.signal });
    assert.equal(outcome.skipped, true);
    assert.deepEqual(decisions.map(line), [
      "requested flags:write policy host",
      "denied flags:write unavailable host",
    ]);
    assert.deepEqual(called, []);
  });
});

Deno.test("Gate.call() shows and records the input that runs where a model wrote it twice", async () => {
  const { approver, asked } = person("once");
  await withGate({ approver }, async ({ gate, called, decisions }) => {
    await gate.call(
      { id: "c", name: "change", arguments: '{"path":"harmless","path":"other"}' },
      {
        sessionId: "s1",
        signal: new AbortController().signal,
        emit: () => {},
        recordStart: () => {},
        recordDecision: (record) => void decisions.push(record),
        pauseWhile: (wait) => wait(),
      },
    );
    assert.deepEqual(asked.map((question) => question.arguments), ['{"path":"other"}']);
    assert.deepEqual(
      decisions.map((record) => record.arguments),
      Array(2).fill('{"path":"other"}'),
    );
    assert.deepEqual(called, [["change", { path: "other" }]]);
  });
});

Deno.test("Gate.call() gives the model what a person answers in place of a call (row R29)", async () => {
  const replacement = `\u001b[31mDo this instead:\u0000\n\tmake\r\n${"a".repeat(70 * 1024)}`;
  const { approver, asked } = person({ replacement });
  await withGate({ approver }, async ({ call, called, records, decisions, events }) => {
    const outcome = await call("change", { path: "a" });
    const [part] = outcome.content;
    assert.ok(part?.type === "text");
    assert.ok(part.text.startsWith("[31mDo this instead:\n\tmake\naaa"));
    assert.equal(new TextEncoder().encode(part.text).length, 64 * 1024);
    assert.deepEqual([outcome.isError, outcome.replaced, outcome.refused], [
      false,
      true,
      undefined,
    ]);
    assert.deepEqual([called, records], [[], []]);
    assert.deepEqual(decisions.map(line), [
      "requested flags:write policy host",
      "replaced flags:write operator host",
    ]);
    assert.deepEqual(events, ["tool_started", "approval_requested", "approval_resolved"]);
    assert.deepEqual(asked[0]?.choices, ["once", "session", "deny", "edit"]);
  });
  await withGate(person({ replacement: " \u0007\n" }), async ({ call, decisions }) => {
    const { refused } = await call("change", { path: "a" });
    assert.equal(refused?.matched, "flags:write", "nothing but a no is left of a blank answer");
    assert.equal(decisions.at(-1)?.outcome, "denied");
  });
});

Deno.test("Gate.call() offers an answer in place of a call only where it fits", async () => {
  const { approver, asked } = person("once");
  const tools = [
    tool("start", "process", () => Promise.resolve(textResult("done"))),
    tool("send", "external", () => Promise.resolve(textResult("done"))),
  ];
  await withGate({ approver, tools }, async ({ folder, workspace, call }) => {
    await Deno.mkdir(`${folder}/other`);
    await Deno.mkdir(`${workspace}/.alisio`);
    await call("look", { path: "../other/a" });
    await call("change", { path: "../other/a" });
    await call("change", { path: ".alisio/config.json" });
    await call("start", {});
    await call("send", {});
    assert.deepEqual(asked.map(({ tool, subject, choices }) => [tool, subject.kind, ...choices]), [
      ["look", "directory", "once", "session", "deny"],
      ["change", "directory", "once", "session", "deny"],
      ["change", "effect", "once", "session", "deny", "edit"],
      ["change", "effect", "once", "session", "deny", "edit"],
      ["change", "protected", "once", "deny", "edit"],
      ["start", "effect", "once", "session", "deny", "edit"],
      ["send", "effect", "once", "session", "deny"],
    ]);
  });
});

Deno.test("Gate.call() says whether a person refused or nobody decided, and names no setting (row R30)", async () => {
  const silent: ApprovalChannel = {
    key: "editor",
    timeoutMs: 0,
    ask: () => Promise.resolve("once"),
  };
  const gone: ApprovalChannel = {
    key: "editor",
    ask: () => Promise.reject(new Error("connection lost")),
  };
  const absent: ApprovalChannel = {
    key: "editor",
    ask: () => Promise.resolve({ undecided: "unavailable" }),
  };
  const refuses: ApprovalChannel = {
    key: "editor",
    ask: () => Promise.resolve({ answer: "deny", user: "ada" }),
  };
  const rows: readonly (readonly [ApprovalChannel, RegExp, string])[] = [
    [refuses, /^Refused: the person refused "change"/, "denied operator ada"],
    [silent, /nobody decided about it in time/, "timed_out timed_out "],
    [gone, /nobody could be reached/, "denied unreachable "],
    [absent, /nobody was there/, "denied unavailable "],
  ];
  for (const [channel, expected, recorded] of rows) {
    await withGate({ approvals: askHere([channel]) }, async ({ call, called, decisions }) => {
      const outcome = await call("change", { path: "a" });
      const text = resultText(outcome.content);
      assert.match(text, expected);
      assert.equal(/not a person's decision/.test(text), channel !== refuses, text);
      assert.doesNotMatch(text, /--|permit|allow|setting|config|mode|profile|timeout/i);
      const last = decisions.at(-1);
      assert.equal(`${last?.outcome} ${last?.source} ${last?.user ?? ""}`, recorded);
      assert.equal(last?.channel, "editor");
      assert.deepEqual(called, []);
    });
  }
});

Deno.test("Gate.call() asks three calls that need approval one after another (row R34)", async () => {
  let open = 0;
  let most = 0;
  const asked: string[] = [];
  await withGate({
    async approver({ callId }) {
      most = Math.max(most, ++open);
      asked.push(callId);
      await new Promise<void>((resolve) => setTimeout(resolve));
      open--;
      return "once";
    },
  }, async ({ call, called }) => {
    await Promise.all(["a", "b", "c"].map((path) => call("change", { path })));
    assert.deepEqual([most, asked.sort()], [1, ["call_1", "call_2", "call_3"]]);
    assert.equal(called.length, 3);
  });
});

Deno.test("Gate.call() does not ask twice about what a person refused in the same run", async () => {
  const { approver, asked } = person("deny");
  await withGate({ approver }, async ({ call, decisions }) => {
    const { signal } = new AbortController();
    await call("change", { path: "a" }, { signal, turn: 1 });
    const again = await call("change", { path: "a" }, { signal, turn: 2 });
    assert.match(resultText(again.content), /the person has refused this very call/);
    assert.equal(decisions.at(-1)?.rule, "builtin:asked-before");
    await call("change", { path: "b" }, { signal, turn: 2 });
    await call("change", { path: "a" }, { turn: 1 });
    assert.deepEqual(asked.map((question) => question.arguments), [
      '{"path":"a"}',
      '{"path":"b"}',
      '{"path":"a"}',
    ]);
  });
});

Deno.test("Gate.call() does not ask again about what a person answered in its place", async () => {
  const { approver, asked } = person({ replacement: "use make" });
  await withGate({ approver }, async ({ call }) => {
    const { signal } = new AbortController();
    await call("change", { path: "a" }, { signal, turn: 1 });
    const again = await call("change", { path: "a" }, { signal, turn: 2 });
    assert.match(resultText(again.content), /has answered this very call of "change" in its place/);
    assert.equal(asked.length, 1);
  });
});

Deno.test("Gate.call() skips an equal command of the same response that needs approval", async () => {
  const ran: unknown[] = [];
  const shell = tool("shell", "process", (input) => {
    ran.push(input);
    return Promise.resolve(textResult("done"));
  });
  const { approver, asked } = person("once");
  const { signal } = new AbortController();
  await withGate({ approver, tools: [shell] }, async ({ call }) => {
    const first = await call("shell", { command: "make", timeoutMs: 5 }, { signal, turn: 1 });
    const second = await call("shell", { timeoutMs: 5, command: "make" }, { signal, turn: 1 });
    assert.deepEqual([first.isError, second.refused?.matched], [false, "builtin:duplicate"]);
    await call("shell", { command: "make", timeoutMs: 5 }, { signal, turn: 2 });
    assert.deepEqual([asked.length, ran.length], [2, 2], "a later response may run it again");
  });
  await withGate({ allowProcess: true, tools: [shell] }, async ({ call }) => {
    ran.length = 0;
    await call("shell", { command: "make" }, { signal, turn: 1 });
    await call("shell", { command: "make" }, { signal, turn: 1 });
    assert.equal(ran.length, 2, "what needs no approval is not looked at");
  });
});

Deno.test("Gate.call() tells a front end who asks and what a call touches", async () => {
  const { approver, asked } = person("once");
  await withGate({ approver }, async ({ call, workspace }) => {
    await Deno.writeTextFile(`${workspace}/file`, "");
    await Deno.symlink("file", `${workspace}/link`);
    await call("change", { path: "link" }, { agentPath: ["build", "explore"] });
    await call("change", { path: "link" });
    assert.deepEqual(asked.map(({ agentPath, summary }) => [agentPath, summary]), [
      [["build", "explore"], { paths: [`${workspace}/file`], programs: [] }],
      [[], { paths: [`${workspace}/file`], programs: [] }],
    ]);
    assert.deepEqual(structuredClone(asked), asked, "plain data");
  });
});

Deno.test("Gate.call() takes secrets out of what is shown, never out of what runs (row R33)", async () => {
  const { approver, asked } = person("once");
  const secret = "correct horse battery";
  const redactShown = (text: string) => text.replaceAll(secret, "[redacted]");
  const ran: unknown[] = [];
  const send = tool("send", "external", (input) => {
    ran.push(input);
    return Promise.resolve(textResult("done"));
  });
  await withGate({ approver, redactShown, tools: [send] }, async ({ call }) => {
    await call("send", { path: "a", content: `${secret}!`, apiKey: "abc" });
    assert.deepEqual(JSON.parse(asked[0]?.arguments ?? ""), {
      path: "a",
      content: "[redacted]!",
      apiKey: "[redacted]",
    });
    assert.deepEqual(ran, [{ path: "a", content: `${secret}!`, apiKey: "abc" }]);
  });
});

Deno.test("Gate.call() names a command in an event without its secrets, whoever is asked (row R33)", async () => {
  const shell = tool("shell", "process", () => Promise.resolve(textResult("done")));
  const labels: unknown[] = [];
  const asked: ApprovalQuestion[] = [];
  const approver = (question: ApprovalQuestion): Promise<"deny"> => {
    asked.push(question);
    return Promise.resolve("deny");
  };
  await withGate({ approver, tools: [shell] }, async ({ call }) => {
    const emit: CallContext["emit"] = (type, data) => {
      if (type === "approval_requested" && "label" in data) labels.push(data.label);
    };
    await call("shell", { command: "deploy --token correcthorse --dry" }, { emit });
  });
  assert.deepEqual(labels, ["deploy --token [redacted] --dry"]);
  // It could be the program: `sudo -password reboot`.
  assert.equal(asked[0]?.summary.command, "deploy --token correcthorse --dry");
});

Deno.test("Gate.call() asks about a path without its secrets (row R33)", async () => {
  const secret = "super+secret&1";
  const key = `sk-proj-${"4f8Zq1Lw9XcVb7Nm2Kd5Rt"}`;
  const told: unknown[] = [];
  const approver = (question: ApprovalQuestion): Promise<"deny"> => {
    told.push(question);
    return Promise.resolve("deny");
  };
  const redactShown = (text: string): string => text.replaceAll(secret, "[redacted]");
  await withGate({ approver, redactShown }, async ({ call }) => {
    const emit: CallContext["emit"] = (type, data) => {
      if (type.startsWith("approval_")) told.push(data);
    };
    await call("change", { path: `../${secret}/${key}/x` }, { emit });
  });
  assert.equal(told.length, 3);
  const text = JSON.stringify(told);
  assert.deepEqual([text.includes(secret), text.includes(key)], [false, false]);
  assert.match(text, /"reason":"[^,]*\[redacted\]\/\[redacted\]\/x/);
});

Deno.test("Gate.call() says in events who is asked about what, and what came of it", async () => {
  const shell = tool("shell", "process", () => Promise.resolve(textResult("done")));
  const ada: ApprovalChannel = {
    key: "editor",
    ask: () => Promise.resolve({ answer: "once", user: "ada" }),
  };
  const seen: unknown[] = [];
  await withGate({ approvals: askHere([ada]), tools: [shell] }, async ({ call }) => {
    const emit: CallContext["emit"] = (type, data) => void seen.push([type, data]);
    await call("shell", { command: `make ${"x".repeat(100)}` }, { emit });
  });
  const facts = { id: "call_1", name: "shell", effect: "process" };
  assert.deepEqual(seen.slice(1), [
    ["approval_requested", { ...facts, channel: "editor", label: `make ${"x".repeat(75)}…` }],
    ["approval_resolved", {
      ...facts,
      decision: "once",
      source: "operator",
      channel: "editor",
      user: "ada",
    }],
  ]);
});
