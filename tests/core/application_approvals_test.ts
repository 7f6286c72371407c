import assert from "node:assert/strict";
import type { RunEvent, RunEventData } from "@alisio/sdk";
import type { ApplicationOptions } from "../../core/application_options.ts";
import type {
  ApprovalAnswer,
  ApprovalChannel,
  ApprovalQuestion,
  ApprovalReply,
} from "../../core/gate/approval.ts";
import type { PermissionMode } from "../../core/gate/permission_mode.ts";
import { createStandardTools, loadSchemaValidator } from "../../tools/standard_tools.ts";
import { withScene } from "../support/application_scene.ts";
import { calls, hangs, PlayedProvider, type PlayedTurn, says } from "../support/run_harness.ts";

const NO_STOP = { signal: new AbortController().signal, observers: [] };

/** A turn that writes a file. */
function writes(path: string): PlayedTurn {
  return calls([["write_file", { path, content: "", expectedHash: null }]]);
}

/** Options with the standard tools and a model that plays turns. */
function playing(...turns: readonly PlayedTurn[]): Partial<ApplicationOptions> {
  return {
    provider: new PlayedProvider(turns),
    model: "m",
    tools: createStandardTools,
    loadValidator: loadSchemaValidator,
  };
}

/** A person who always answers the same, and what they were asked. */
function answering(answer: ApprovalAnswer): {
  readonly approve: (question: ApprovalQuestion) => Promise<ApprovalAnswer>;
  readonly asked: ApprovalQuestion[];
} {
  const asked: ApprovalQuestion[] = [];
  return {
    asked,
    approve(question) {
      asked.push(question);
      return Promise.resolve(answer);
    },
  };
}

Deno.test("Application.setPermissionMode() decides what is asked, and forgets grants", async () => {
  const { approve, asked } = answering("session");
  await withScene({}, async ({ open }) => {
    const turns = ["a", "b", "c", "d"].flatMap((path) => [writes(path), says("done")]);
    const application = await open({ ...playing(...turns), approve });
    const session = await application.createSession();
    assert.equal(application.permissionMode(), "ask");
    await session.run("go", NO_STOP);
    await session.run("go", NO_STOP);
    assert.equal(asked.length, 1, "the grant of the session holds");
    application.setPermissionMode("auto");
    assert.equal(application.permissionMode(), "auto");
    await session.run("go", NO_STOP);
    assert.equal(asked.length, 1, "the mode permits it");
    application.setPermissionMode("ask");
    await session.run("go", NO_STOP);
    assert.equal(asked.length, 2, "a grant does not outlive its mode");
  });
});

Deno.test("Application says what was granted for a session, and takes it back", async () => {
  const { approve, asked } = answering("session");
  await withScene({ "other/a": "" }, async ({ open, folder }) => {
    const turns = ["a", `${folder}/other/a`, "b", "c"]
      .flatMap((path) => [writes(path), says("done")]);
    const application = await open({ ...playing(...turns), approve });
    const session = await application.createSession();
    const grants = () => application.gate.sessionGrants(session.id);
    assert.deepEqual(grants(), []);
    await session.run("go", NO_STOP);
    await session.run("go", NO_STOP);
    const write = { kind: "effect", effect: "write" } as const;
    const other = { kind: "directory", path: `${folder}/other` } as const;
    assert.deepEqual([grants(), asked.length], [[write, other], 2]);
    application.gate.revoke(session.id, other);
    assert.deepEqual(grants(), [write]);
    await session.run("go", NO_STOP);
    assert.equal(asked.length, 2, "the other grant still holds");
    application.gate.revoke(session.id, write);
    assert.deepEqual(grants(), []);
    await session.run("go", NO_STOP);
    assert.equal(asked.length, 3, "what was taken back is asked again");
  });
});

for (
  const [name, options, verdicts] of [
    ["nothing", {}, ["ask", "ask", "ask"]],
    ["--allow-process", { allowProcess: true }, ["ask", "allow", "ask"]],
    ["--read-only", { readOnly: true, allowWrite: true }, ["deny", "deny", "deny"]],
  ] as const
) {
  Deno.test(`Application.effectVerdicts() follows ${name}`, async () => {
    await withScene({}, async ({ open }) => {
      const application = await open({ ...options, approve: answering("once").approve });
      const { write, process, external } = application.effectVerdicts();
      assert.deepEqual([write, process, external], verdicts);
    });
  });
}

Deno.test("Application.effectVerdicts() follows the mode, and what only reads", async () => {
  const agents = JSON.stringify({ agents: { active: "plan" } });
  await withScene({}, async ({ open }) => {
    const application = await open({ approve: answering("once").approve });
    application.setPermissionMode("full");
    const all = { write: "allow", process: "allow", external: "allow" };
    assert.deepEqual(application.effectVerdicts(), all);
  });
  await withScene({ "config/config.json": agents }, async ({ open }) => {
    const application = await open({ allowWrite: true, approve: answering("once").approve });
    const none = { write: "deny", process: "deny", external: "deny" };
    assert.deepEqual(application.effectVerdicts(), none);
  });
});

Deno.test("Application.setPermissionMode() refuses where there is nothing to choose", async () => {
  const { approve } = answering("deny");
  await withScene({}, async ({ open }) => {
    const rows: readonly (readonly [string, Partial<ApplicationOptions>, string, RegExp])[] = [
      ["read only", { approve, readOnly: true }, "read-only", /without --read-only/],
      ["nobody there", {}, "ask", /nobody can be asked/],
      ["nobody there, with a flag", { allowWrite: true }, "auto", /nobody can be asked/],
    ];
    for (const [name, options, label, reason] of rows) {
      const application = await open(options);
      assert.equal(application.permissionMode(), label, name);
      assert.throws(() => application.setPermissionMode("full"), reason, name);
      assert.equal(application.permissionMode(), label, name);
    }
    const application = await open({ approve });
    for (const mode of ["yolo", "toString", ""]) {
      assert.throws(
        () => application.setPermissionMode(mode as PermissionMode),
        /there is no mode/,
      );
    }
  });
});

Deno.test("Application.setPermissionMode() is refused while a prompt runs", async () => {
  const { approve } = answering("deny");
  await withScene({}, async ({ open }) => {
    const application = await open({
      ...playing(hangs({ type: "text_delta", delta: "x" })),
      approve,
    });
    const session = await application.createSession();
    const started = Promise.withResolvers<void>();
    const stop = new AbortController();
    const running = session.run("go", {
      signal: stop.signal,
      observers: [({ type }) => type === "text_delta" && started.resolve()],
    });
    await started.promise;
    assert.throws(() => application.setPermissionMode("full"), /a prompt is running/);
    stop.abort(new Error("stop"));
    await assert.rejects(running);
    application.setPermissionMode("full");
    assert.equal(application.permissionMode(), "full");
  });
});

/** What became of one write under the route of a profile. */
async function routed(
  route: Readonly<Record<string, unknown>>,
  options: Pick<ApplicationOptions, "approve" | "approvalChannels">,
): Promise<{
  readonly text: string;
  /** What the person is told that would permit it. */
  readonly remedy: string | undefined;
  /** Outcome, source, channel and user of each decision. */
  readonly audit: readonly string[];
  /** Whether the run went on to its end. */
  readonly completed: boolean;
  readonly written: boolean;
}> {
  const approvalRoute = { approverRecipient: "!ops:example.org", ...route };
  const files = {
    "config/config.json": JSON.stringify({ riskProfiles: { ops: { approvalRoute } } }),
  };
  const provider = new PlayedProvider([writes("a"), says("done")]);
  let result: Awaited<ReturnType<typeof routed>> | undefined;
  await withScene(files, async ({ open, folder }) => {
    const application = await open({ ...playing(), ...options, provider, riskProfile: "ops" });
    const session = await application.createSession();
    let remedy: string | undefined;
    const observer = ({ type, data }: RunEvent) => {
      if (type !== "tool_completed") return;
      ({ remedy } = (data as RunEventData["tool_completed"]).refused ?? {});
    };
    const { status } = await session.run("go", { ...NO_STOP, observers: [observer] });
    const message = provider.requests.at(-1)?.messages.at(-1);
    result = {
      remedy,
      text: message?.role === "tool" ? JSON.stringify(message) : "",
      audit: application.store.decisions().map(({ outcome, source, channel, user }) =>
        [outcome, source, channel, user ?? ""].join(" ").trim()
      ),
      completed: status === "completed",
      written: await Deno.stat(`${folder}/ws/a`).then(() => true, () => false),
    };
  });
  assert.ok(result !== undefined);
  return result;
}

/** A channel with one answer, and where it was asked. */
function room(key: string, reply: ApprovalReply | "silence"): {
  readonly channel: ApprovalChannel;
  readonly recipients: (string | undefined)[];
} {
  const recipients: (string | undefined)[] = [];
  return {
    recipients,
    channel: {
      key,
      ask(_question, { recipient }) {
        recipients.push(recipient);
        return reply === "silence" ? new Promise(() => {}) : Promise.resolve(reply);
      },
    },
  };
}

Deno.test("An approver elsewhere decides in place of the person here (rows R10, R18)", async () => {
  for (const [answer, written] of [["once", true], ["deny", false]] as const) {
    const ops = room("matrix.ops", { answer, user: "@ada:example.org" });
    const { approve, asked } = answering("once");
    const { audit, completed, ...rest } = await routed(
      { approverChannel: "matrix.ops", onNoApprover: "inherit-originator" },
      { approve, approvalChannels: [ops.channel] },
    );
    assert.deepEqual([rest.written, completed], [written, true]);
    assert.deepEqual(ops.recipients, ["!ops:example.org"]);
    assert.equal(asked.length, 0, "a decision is a decision, a no included");
    assert.equal(rest.remedy, undefined);
    assert.deepEqual(audit, [
      "requested policy matrix.ops",
      `${written ? "granted" : "denied"} operator matrix.ops @ada:example.org`,
    ]);
  }
});

Deno.test("An approver elsewhere can be asked for a run that works alone (row R10)", async () => {
  const ops = room("matrix.ops", { answer: "once", user: "@ada:example.org" });
  const { written } = await routed({ approverChannel: "matrix" }, {
    approvalChannels: [ops.channel],
  });
  assert.equal(written, true);
});

Deno.test("An approver that is silent is a no after the time of the route (row R14)", async () => {
  const ops = room("matrix.ops", "silence");
  const { approve, asked } = answering("once");
  const startedAt = performance.now();
  const { text, audit, completed, written } = await routed(
    { approverChannel: "matrix.ops", timeoutSecs: 1 },
    { approve, approvalChannels: [ops.channel] },
  );
  const elapsedMs = performance.now() - startedAt;
  assert.ok(elapsedMs >= 950 && elapsedMs < 20_000, String(elapsedMs));
  assert.deepEqual([completed, written, asked.length], [true, false, 0]);
  assert.match(text, /nobody decided about it in time\. This is not a person's decision/);
  assert.deepEqual(audit, ["requested policy matrix.ops", "timed_out timed_out matrix.ops"]);
});

Deno.test("The person here is asked after an approver that decides nothing (row R15)", async () => {
  const silent = room("matrix.ops", "silence");
  const abstains = room("matrix.ops", { undecided: "unavailable" });
  const failing: ApprovalChannel = {
    key: "matrix.ops",
    ask: () => Promise.reject(new Error("cannot send")),
  };
  for (const channel of [silent.channel, abstains.channel, failing]) {
    const { approve, asked } = answering("once");
    const { audit, written } = await routed({
      approverChannel: "matrix.ops",
      onNoApprover: "inherit-originator",
      timeoutSecs: 1,
    }, { approve, approvalChannels: [channel] });
    assert.deepEqual([written, asked.length], [true, 1]);
    assert.deepEqual(audit, ["requested policy matrix.ops", "granted operator host"]);
  }
});

Deno.test("A route that leads nowhere permits nothing (rows R11, R12, R13, R16, R17)", async () => {
  const one = [room("matrix.ops", "once").channel];
  const two = [...one, room("matrix.dev", "once").channel];
  const { approve, asked } = answering("once");
  const inherit = { onNoApprover: "inherit-originator" };
  const rows: readonly (readonly [
    string,
    Readonly<Record<string, unknown>>,
    Pick<ApplicationOptions, "approve" | "approvalChannels">,
    boolean,
  ])[] = [
    ["R11", { approverChannel: "ops" }, { approve, approvalChannels: one }, false],
    ["R12", { approverChannel: "matrix" }, { approve, approvalChannels: two }, false],
    ["R13", { approverChannel: "matrix.ops", approverRecipient: " " }, {
      approve,
      approvalChannels: one,
    }, false],
    ["R13, inherit", { approverChannel: "matrix.ops", approverRecipient: " ", ...inherit }, {
      approve,
      approvalChannels: one,
    }, true],
    ["R16", { approverChannel: "matrix.ops", ...inherit }, {}, false],
    ["R17", { approverChannel: "matrix.ops" }, {}, false],
    ["R17, with a person", { approverChannel: "matrix.ops" }, { approve }, false],
  ];
  for (const [name, route, options, isWritten] of rows) {
    asked.length = 0;
    const { audit, completed, remedy, written } = await routed(route, options);
    assert.deepEqual(
      [written, completed, asked.length],
      [isWritten, true, isWritten ? 1 : 0],
      name,
    );
    if (isWritten) continue;
    assert.match(audit.join(), /^blocked unavailable /, name);
    assert.match(remedy ?? "", /can be asked, or change "riskProfiles\.ops\.approvalRoute"/, name);
  }
});

Deno.test("createApplication() refuses channels that no route could name", async () => {
  await withScene({}, async ({ open }) => {
    await assert.rejects(
      open({ approvalChannels: [room("matrix", "once").channel] }),
      /Cannot ask for approval: "matrix" is no key of a channel/,
    );
  });
});

Deno.test({
  name:
    "The question about a command shows it whole, and what a shadowed name means (field case 103)",
  ignore: Deno.build.os === "windows",
  async fn() {
    const { approve, asked } = answering("deny");
    await withScene({}, async ({ open, folder, env }) => {
      await Deno.writeTextFile(`${folder}/ws/ls`, "#!/bin/sh\n", { mode: 0o755 });
      const command = `ls; echo ${"x".repeat(5_000)}; echo $DEPLOY_TOKEN hunter2hunter2`;
      const application = await open({
        ...playing(calls([["shell", { command }]]), says("done")),
        env: { ...env, PATH: `${folder}/ws:${env["PATH"]}`, DEPLOY_TOKEN: "hunter2hunter2" },
        approve,
      });
      await (await application.createSession()).run("go", NO_STOP);
      const [question] = asked;
      assert.ok(question !== undefined);
      const shown = command.replace("hunter2hunter2", "[redacted]");
      assert.equal(question.summary.command, shown);
      assert.deepEqual(JSON.parse(question.arguments), { command: shown });
      assert.deepEqual(question.summary.programs, [{ name: "ls", path: `${folder}/ws/ls` }]);
      assert.deepEqual(question.agentPath, []);
    });
  },
});

Deno.test("A question that is open when Alisio closes is a no of nobody (row R39)", async () => {
  await withScene({}, async ({ open, folder }) => {
    const shown = Promise.withResolvers<void>();
    const application = await open({
      ...playing(writes("a"), says("done")),
      approve: () => {
        shown.resolve();
        return new Promise(() => {});
      },
    });
    const session = await application.createSession();
    const { store } = application;
    const running = session.run("go", NO_STOP);
    await shown.promise;
    // The application closes the session first, and the record last.
    const closed = session.close();
    await assert.rejects(running);
    await closed;
    assert.deepEqual(
      store.decisions().map(({ outcome, source }) => `${outcome} ${source}`),
      ["requested policy", "denied unavailable"],
    );
    await assert.rejects(Deno.stat(`${folder}/ws/a`), Deno.errors.NotFound);
  });
});

Deno.test("A model that repeats what a person refused is stopped, and they are asked once", async () => {
  const { approve, asked } = answering("deny");
  await withScene({}, async ({ open }) => {
    const application = await open({ ...playing(writes("a")), approve });
    const session = await application.createSession();
    await assert.rejects(session.run("go", NO_STOP), { code: "repeated_calls" });
    assert.equal(asked.length, 1);
    const outcomes = application.store.decisions().map(({ outcome, rule }) => `${outcome} ${rule}`);
    assert.deepEqual(outcomes.slice(0, 3), [
      "requested flags:write",
      "denied flags:write",
      "blocked builtin:asked-before",
    ]);
  });
});
