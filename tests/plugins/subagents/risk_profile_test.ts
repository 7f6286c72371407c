import assert from "node:assert/strict";
import type { ApprovalChannel, ApprovalReply } from "../../../core/gate/approval.ts";
import { calls, says } from "../../support/run_harness.ts";
import { delegates, results, withDelegation } from "./_scene.ts";

const writes = (path: string) =>
  calls([["write_file", { path, content: "x", expectedHash: null }]]);

/** Custom profiles forbid it unless they say so. */
const ALLOWS = { delegationPolicy: { mode: "allow" } };

const ROLES = {
  root: [writes("root.txt"), delegates(["general", "child"]), says("ok")],
  child: [writes("child.txt"), says("child is done")],
};

/** A person who permits everything of a kind, and what they were asked. */
function person(answer: "once" | "session") {
  const asked: string[] = [];
  const channel: ApprovalChannel = {
    key: "host",
    ask({ agentPath, tool }) {
      asked.push([...agentPath, tool].join(" "));
      return Promise.resolve(answer);
    },
  };
  return { channel, asked };
}

/** A channel of somebody else. */
function room(reply: ApprovalReply | "silence") {
  const asked: string[] = [];
  const channel: ApprovalChannel = {
    key: "matrix.ops",
    ask({ agentPath, tool }) {
      asked.push([...agentPath, tool].join(" "));
      return reply === "silence" ? new Promise<never>(() => {}) : Promise.resolve(reply);
    },
  };
  return { channel, asked };
}

/** Runs a root and a child that write, under a profile. */
async function written(
  profile: Readonly<Record<string, unknown>>,
  options: {
    readonly approve: ApprovalChannel;
    readonly approvalChannels?: readonly ApprovalChannel[];
  },
): Promise<{ readonly files: readonly string[]; readonly child: string }> {
  let outcome = { files: [] as string[], child: "" };
  await withDelegation(ROLES, {
    config: { riskProfiles: { ops: { ...ALLOWS, ...profile } } },
    application: { riskProfile: "ops", ...options },
  }, async ({ run, provider, folder }) => {
    await run();
    const names = (await Array.fromAsync(Deno.readDir(`${folder}/ws`))).map(({ name }) => name)
      .sort();
    outcome = { files: names, child: results(provider.of("child").at(-1))[0] ?? "" };
  });
  return outcome;
}

Deno.test("Approvals of an agent reach the person with its path where no profile is in force", async () => {
  const { channel, asked } = person("once");
  await withDelegation(ROLES, { application: { approve: channel } }, async ({ run, folder }) => {
    await run();
    assert.deepEqual(asked, ["write_file", "general write_file"]);
    assert.ok((await Deno.stat(`${folder}/ws/child.txt`)).isFile);
  });
});

Deno.test("An agent under a profile asks nobody who is here, whatever they granted (rows R21, R7)", async () => {
  for (const answer of ["once", "session"] as const) {
    const { channel, asked } = person(answer);
    const { files, child } = await written({}, { approve: channel });
    assert.deepEqual(asked, ["write_file"], "the child asks nobody");
    assert.deepEqual(files, ["root.txt"]);
    assert.match(child, /not run|denied|approv/i);
  }
});

Deno.test("An agent under a profile with a route asks whom that names, anew (row R22)", async () => {
  const { channel, asked } = person("session");
  const ops = room({ answer: "session", user: "@ada:example.org" });
  const { files } = await written(
    { approvalRoute: { approverChannel: "matrix.ops", approverRecipient: "!ops:example.org" } },
    { approve: channel, approvalChannels: [ops.channel] },
  );
  assert.deepEqual(asked, []);
  assert.deepEqual(ops.asked, ["write_file", "general write_file"], "no grant is inherited");
  assert.deepEqual(files, ["child.txt", "root.txt"]);
});

Deno.test("An agent whose approver is away is refused, even where its caller would ask here (row R20)", async () => {
  const rows = [
    ["silent", { approverRecipient: "!ops:example.org", timeoutSecs: 1 }, [
      room("silence").channel,
    ]],
    ["not connected", { approverRecipient: "!ops:example.org" }, []],
    ["no recipient", { approverRecipient: "" }, [room("once").channel]],
  ] as const;
  for (const [name, route, approvalChannels] of rows) {
    const { channel, asked } = person("once");
    const { files } = await written({
      approvalRoute: {
        approverChannel: "matrix.ops",
        onNoApprover: "inherit-originator",
        ...route,
      },
    }, { approve: channel, approvalChannels });
    assert.deepEqual(asked, ["write_file"], name);
    assert.deepEqual(files, ["root.txt"], name);
  }
});

Deno.test("A profile that forbids delegation offers no task and refuses it", async () => {
  const { channel } = person("once");
  await withDelegation(ROLES, {
    config: { riskProfiles: { ops: { delegationPolicy: { mode: "forbidden" } } } },
    application: { riskProfile: "ops", approve: channel },
  }, async ({ run, provider }) => {
    await run();
    const [first] = provider.of("root");
    assert.equal(first?.tools.some(({ name }) => name === "task"), false);
    assert.match(
      results(provider.of("root").at(-1))[1] ?? "",
      /work is not handed to other agents/,
    );
    assert.equal(provider.of("child").length, 0);
  });
});

Deno.test("An agent of another profile gets no work, and its profile is named (row R35)", async () => {
  const { channel } = person("once");
  await withDelegation({ root: [delegates(["general", "child"]), says("ok")] }, {
    config: {
      riskProfiles: { ops: ALLOWS, wild: { level: "full", allowedCommands: ["*"] } },
      agents: { general: { riskProfile: "wild" } },
    },
    application: { riskProfile: "ops", approve: channel },
  }, async ({ run, provider }) => {
    await run();
    assert.match(
      results(provider.of("root").at(-1))[0] ?? "",
      /\\"general\\" works under the risk profile \\"wild\\"/,
    );
    assert.equal(provider.of("child").length, 0);
  });
});

Deno.test("An agent has its caller's budget of actions, and not one of its own", async () => {
  const { channel } = person("once");
  const roles = {
    root: [delegates(["general", "child"]), writes("root.txt"), says("ok")],
    child: [writes("child.txt"), writes("more.txt"), says("child is done")],
  };
  await withDelegation(roles, {
    config: {
      riskProfiles: {
        ops: { ...ALLOWS, level: "full", maxActionsPerHour: 2, autoApprove: ["write_file"] },
      },
    },
    application: { riskProfile: "ops", approve: channel, allowWrite: true },
  }, async ({ run, folder, provider }) => {
    await run();
    const names = (await Array.fromAsync(Deno.readDir(`${folder}/ws`))).map(({ name }) => name)
      .sort();
    assert.deepEqual(names, ["child.txt", "more.txt"], results(provider.of("root").at(-1))[1]);
  });
});
