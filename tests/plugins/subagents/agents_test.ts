import assert from "node:assert/strict";
import { childSpec, mayWrite } from "../../../plugins/subagents/child_spec.ts";
import { BUILTIN_AGENTS } from "../../../plugins/subagents/builtin_agents.ts";
import { chosenModel } from "../../../plugins/subagents/agent_catalog.ts";
import { subagentSettings } from "../../../plugins/subagents/subagent_settings.ts";
import { calls, says } from "../../support/run_harness.ts";
import { agentFile, delegates, Gate, results, then, withDelegation } from "./_scene.ts";

const LOOKING = [
  "read_file",
  "list_files",
  "search_text",
  "git_status",
  "git_diff",
  "context_explain",
];

Deno.test("BUILTIN_AGENTS are those of the documents, with their tools", () => {
  assert.deepEqual(
    BUILTIN_AGENTS.map(({ id, tools, readOnly }) => ({ id, tools, readOnly })),
    [
      { id: "general", tools: null, readOnly: false },
      {
        id: "explore",
        tools: [...LOOKING, "skill_search", "skill_load", "skill_resource"],
        readOnly: true,
      },
      { id: "plan", tools: LOOKING, readOnly: true },
    ],
  );
});

Deno.test("subagentSettings() has the defaults of the documents", () => {
  assert.deepEqual(subagentSettings({}), {
    maxDepth: 3,
    maxConcurrentPerParent: 4,
    maxConcurrentTotal: 8,
    maxQueued: 16,
    maxTurns: 50,
    timeoutMs: 600_000,
    maxTokensPerChild: undefined,
    maxOutputTokensPerChild: 16_384,
    parallelWrites: "ask",
    waitMaxMs: 600_000,
    resultMaxBytes: 50_000,
    worktreeDir: undefined,
  });
});

Deno.test("childSpec() hands every field of a definition on", () => {
  const [general] = BUILTIN_AGENTS;
  assert.ok(general !== undefined);
  const agent = {
    ...general,
    id: "test-writer",
    prompt: "Write tests.",
    tools: ["read_file", "write_file"],
    disallowedTools: ["shell"],
    maxTurns: 30,
    permission: { write: "allow", process: "ask" },
    skills: ["testing-conventions"],
    readOnly: true,
  } as const;
  const task = { id: "t", parentId: "p", title: "Tests", agent };
  const settings = subagentSettings({ maxTokensPerChild: 5_000 });
  const spec = childSpec({ ...task, depth: 1, model: "a/b", workspace: "/w" }, settings);
  assert.match(
    spec.instructions ?? "",
    /agent "test-writer"[^]*load these skills with skill_load: testing-conventions\.\n\nWrite tests\.$/,
  );
  assert.deepEqual({ ...spec, instructions: "" }, {
    id: "t",
    parentId: "p",
    title: "Tests",
    agent: "test-writer",
    instructions: "",
    tools: { allow: ["read_file", "write_file", "skill_load"], deny: ["shell"] },
    model: "a/b",
    readOnly: true,
    permission: { write: "allow", process: "ask" },
    workspace: "/w",
    maxTurns: 30,
    timeoutMs: 600_000,
    maxTokens: 5_000,
    maxOutputTokens: 16_384,
  });
  const deepest = childSpec({ ...task, depth: 3, agent: general }, settings);
  assert.deepEqual(deepest.tools, {
    deny: ["task", "task_status", "task_wait", "send_message"],
  });
  assert.equal(deepest.maxTurns, 50);
});

Deno.test("mayWrite() is true for whatever could change something, and only for that", () => {
  const all = { write: true, process: true, approvals: true, readOnly: false };
  const none = { ...all, write: false, process: false };
  const [general, explore] = BUILTIN_AGENTS;
  assert.ok(general !== undefined && explore !== undefined);
  const rows = [
    [true, general, all],
    [false, explore, all],
    [false, general, none],
    [true, { ...general, tools: ["read_file", "edit_file"] }, all],
    [true, { ...general, tools: ["p_0123456789_deploy"] }, all],
    [false, { ...general, tools: ["read_file", "search_text"] }, all],
    [false, { ...general, tools: ["edit_file"], disallowedTools: ["edit_file"] }, all],
    [false, { ...general, permission: { write: "deny", process: "deny" } as const }, all],
    [true, { ...general, permission: { write: "deny" } as const }, all],
    [false, { ...general, permission: { write: "deny" } as const }, { ...all, process: false }],
  ] as const;
  for (const [index, [expected, agent, caller]] of rows.entries()) {
    assert.equal(mayWrite(agent, caller), expected, `row ${index}`);
  }
});

Deno.test("chosenModel() takes the caller's model where another program's alias is named", () => {
  for (const name of [undefined, "", " ", "inherit"]) assert.deepEqual(chosenModel(name), {});
  for (const name of ["sonnet", "opus", "haiku", "Opus"]) {
    assert.match(chosenModel(name).warning ?? "", new RegExp(`"${name}" is an alias`));
    assert.equal(chosenModel(name).model, undefined);
  }
  assert.deepEqual(chosenModel("acme/big"), { model: "acme/big" });
  assert.deepEqual(chosenModel("big"), { model: "big" });
});

Deno.test("An agent gets no more than its definition and its caller leave, and the result says so", async () => {
  const files = {
    "config/agents/writer.md": agentFile({
      description: "Writes",
      tools: ["read_file", "write_file", "shell"],
      permission: { edit: "allow", bash: "deny" },
    }),
  };
  const roles = {
    root: [delegates(["writer", "child"]), says("ok")],
    child: [
      calls([["write_file", { path: "a.txt", content: "x", expectedHash: null }]]),
      says("done"),
    ],
  };
  for (const allowWrite of [true, false]) {
    const application = { allowWrite, allowProcess: true };
    await withDelegation(roles, { files, application }, async ({ run, provider, folder }) => {
      await run();
      const [report = ""] = results(provider.of("root").at(-1));
      const tools = provider.of("child")[0]?.tools.map(({ name }) => name);
      assert.deepEqual(tools, allowWrite ? ["read_file", "write_file"] : ["read_file"]);
      assert.equal(
        await Deno.stat(`${folder}/ws/a.txt`).then(() => true, () => false),
        allowWrite,
      );
      assert.equal(/Not as its definition says: "permission.write"/.test(report), !allowWrite);
    });
  }
});

Deno.test("A question of an agent reaches the person with the path of the agent", async () => {
  const paths: unknown[] = [];
  const question = {
    header: "Colour",
    question: "Which one?",
    options: [{ label: "Red" }, { label: "Blue" }],
  };
  const roles = {
    root: [delegates(["general", "child"]), says("ok")],
    child: [calls([["ask_user_question", { questions: [question] }]]), says("done")],
  };
  const application = {
    ask: (_questions: unknown, call: { readonly agentPath?: readonly string[] }) => {
      paths.push(call.agentPath);
      return Promise.resolve([{ header: "Colour", skipped: false, selected: ["Red"] }]);
    },
  };
  await withDelegation(roles, { application }, async ({ run, provider }) => {
    await run();
    assert.deepEqual(paths, [["general"]]);
    assert.match(results(provider.of("child").at(-1))[0] ?? "", /Red/);
  });
});

Deno.test("The tree shows each agent below its caller, with what it does, and lets a call return", async () => {
  const inside = new Gate();
  const end = new Gate();
  const files = {
    "config/agents/lead.md": agentFile({ description: "Leads", color: "green" }),
    "ws/a.txt": "a\n",
  };
  const roles = {
    root: [delegates(["lead", "one"]), says("Went on")],
    one: [delegates(["explore", "two"]), says("1")],
    two: [
      calls([["read_file", { path: "a.txt" }]], { usage: { input: 7, output: 2 } }),
      then(() => {
        inside.arrive();
        return end.says("2");
      }),
    ],
  };
  await withDelegation(roles, { files }, async ({ run, application, session, provider }) => {
    const running = run();
    await inside.opened;
    const [panel] = application.pluginPanels(session.id);
    assert.equal(panel?.title, "Agents");
    const [one, two] = panel?.nodes ?? [];
    assert.deepEqual([one?.label, one?.status, one?.detail], [
      "lead: do one",
      "running",
      "task do two",
    ]);
    assert.deepEqual([two?.label, two?.parentId, two?.tokens, two?.detail], [
      "explore: do two",
      one?.id,
      9,
      "read_file a.txt",
    ]);
    assert.deepEqual(application.pluginPanels("another"), []);
    end.arrive();
    await running;
    assert.deepEqual(
      application.pluginPanels(session.id)[0]?.nodes.map(({ status }) => status),
      ["completed", "completed"],
    );
    assert.equal(provider.of("root").length, 2);
  });
});
