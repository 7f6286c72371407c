import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { type CliScene, jsonLines, shown, withCli } from "../support/cli_harness.ts";
import { callTurn, startModel, toolResults } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import type { RecordedRequest } from "../support/stub_server.ts";
import { onlySession, useModel } from "./_support.ts";

const PLAN = "# Greet\n\n## Goal\nSay hello.\n\n## Steps\n1. Write `hello.txt`\n";
const DIAGRAM = {
  id: "flow",
  title: "The flow",
  explanation: "How it goes",
  section: "Steps",
  mermaid: "flowchart TD\n  a --> b",
};
const SCRIPT = { ...DIAGRAM, id: "bad", mermaid: 'flowchart TD\n  a["<script>x"] --> b' };
const PLANNING = { agents: { active: "plan" } };

function toolOf({ json }: RecordedRequest, name: string): unknown {
  const { tools = [] } = json as {
    readonly tools?: readonly {
      readonly function: { readonly name: string; readonly parameters: unknown };
    }[];
  };
  return tools.find((tool) => tool.function.name === name)?.function.parameters;
}

function lastResult(request: RecordedRequest): Record<string, unknown> {
  return JSON.parse(toolResults(request).at(-1) ?? "{}");
}

/** Every file below a folder with its mode, in order. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    const { mode } = await Deno.lstat(path);
    found.push(`${name} ${((mode ?? 0) & 0o777).toString(8)}`);
    if (isDirectory) found.push(...(await filesBelow(path)).map((each) => `${name}/${each}`));
  }
  return found.sort();
}

async function artifactFolders(cli: CliScene): Promise<readonly string[]> {
  const root = join(cli.stateHome, "artifacts");
  const folders: string[] = [];
  for await (const workspace of Deno.readDir(root)) {
    for await (const session of Deno.readDir(join(root, workspace.name))) {
      const place = join(root, workspace.name, session.name);
      for await (const { name } of Deno.readDir(place)) folders.push(join(place, name));
    }
  }
  return folders.sort();
}

function planOf(cli: CliScene, session: string): Record<string, unknown> {
  using db = new DatabaseSync(join(cli.stateHome, "sessions.sqlite"), { readOnly: true });
  const row = db.prepare("SELECT options FROM sessions WHERE id = ?").get(session);
  return JSON.parse(String(row?.["options"])).plan;
}

Deno.test("A plan without a person becomes the reply, with its files written", async () => {
  await withCli(async (cli) => {
    await using model = await startModel([
      callTurn(["exit_plan", { plan: PLAN, title: "Greeting", diagrams: [DIAGRAM, SCRIPT] }]),
      chatReply({ text: "The plan" }),
    ]);
    await useModel(cli, model, PLANNING);
    const run = await cli.run(["run", "plan it", "--quiet"]);
    assert.deepEqual([run.status, run.stdout], [0, "The plan\n"], shown(run));
    const { planId, artifactId, message, ...rest } = lastResult(await model.chat(1));
    assert.deepEqual(rest, {
      decision: "unavailable",
      revision: 1,
      diagrams: {
        accepted: ["flow"],
        dropped: [{ id: "bad", reason: "it holds an HTML tag; write plain text in labels" }],
        removed: [],
      },
    });
    assert.match(String(message), /full plan as your final reply/);
    const [folder = ""] = await artifactFolders(cli);
    assert.match(folder, new RegExp(`/greeting--${artifactId}$`));
    assert.equal(run.stderr, `artifact: document plan.md 918 bytes ${folder}/files/plan.md\n`);
    assert.deepEqual(await filesBelow(folder), [
      "files 700",
      "files/diagrams 700",
      "files/diagrams/flow.mmd 600",
      "files/plan.json 600",
      "files/plan.md 600",
      "manifest.json 600",
    ]);
    const plan = JSON.parse(await Deno.readTextFile(join(folder, "files/plan.json")));
    assert.deepEqual([plan.planId, plan.summary, plan.stages, plan.diagrams[0].status], [
      planId,
      "Say hello.",
      [{ title: "Write hello.txt" }],
      "new",
    ]);
    const state = planOf(cli, await onlySession(cli));
    assert.deepEqual([state.status, state.planId, state.artifactId, state.hash], [
      "skipped",
      planId,
      artifactId,
      plan.hash,
    ]);
  });
});

Deno.test("A revision keeps its plan, and says what became of each diagram", async () => {
  await withCli(async (cli) => {
    const changed = { ...DIAGRAM, title: "Another flow" };
    await using model = await startModel([
      callTurn(["exit_plan", { plan: PLAN, diagrams: [DIAGRAM, { ...DIAGRAM, id: "old" }] }]),
      callTurn(["exit_plan", { plan: `${PLAN}2. Look\n`, diagrams: [changed] }]),
      callTurn(["exit_plan", { plan: PLAN }]),
      callTurn(["exit_plan", { plan: PLAN }]),
      chatReply({ text: "The plan" }),
    ]);
    await useModel(cli, model, PLANNING);
    const run = await cli.run(["run", "plan it", "--json", "--read-only"]);
    assert.equal(run.status, 0, shown(run));
    const events = jsonLines(run);
    const proposed = events.filter(({ type }) => type === "plan_proposed").map(({ data }) =>
      data as Record<string, unknown>
    );
    assert.deepEqual(proposed.map(({ revision, title }) => [revision, title]), [
      [1, "Greet"],
      [2, "Greet"],
      [3, "Greet"],
      [4, "Greet"],
    ]);
    assert.equal(new Set(proposed.map(({ planId }) => planId)).size, 1);
    const published = events.filter(({ type }) => type === "artifact_published").map(({ data }) =>
      data as Record<string, unknown>
    );
    const artifacts = published.map(({ artifact }) => artifact as Record<string, unknown>);
    assert.deepEqual(artifacts.map(({ title, fileCount }) => [title, fileCount]), [
      ["Greet", 4],
      ["Greet (revision 2)", 3],
      ["Greet (revision 3)", 2],
      ["Greet (revision 4)", 1],
    ]);
    const second = await Deno.readTextFile(
      String(published[1]?.path).replace("plan.md", "plan.json"),
    );
    const { diagrams, removed } = JSON.parse(second);
    assert.deepEqual([diagrams[0].status, removed], ["updated", [{
      id: "old",
      title: "The flow",
    }]]);
    assert.deepEqual(events.filter(({ type }) => type === "plan_decided"), []);
  });
});

/** An input, and what the model is told about it. */
const BAD_INPUTS: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
  ["60,001 characters", { plan: "x".repeat(60_001) }, /"plan".*60,?000/s],
  ["an empty plan", { plan: "" }, /"plan"/],
  ["a blank plan", { plan: " \n " }, /The plan is blank/],
  ["a long title", { plan: PLAN, title: "x".repeat(121) }, /"title".*120/s],
  ["no plan", { markdown: PLAN }, /"plan"/],
];

Deno.test("exit_plan says what is wrong with a plan, and takes the next one", async () => {
  await withCli(async (cli) => {
    await using model = await startModel([
      ...BAD_INPUTS.map(([, input]) => callTurn(["exit_plan", input])),
      callTurn(["exit_plan", { plan: "x".repeat(60_000) }]),
      chatReply({ text: "The plan" }),
    ]);
    await useModel(cli, model, PLANNING);
    const run = await cli.run(["run", "plan it"]);
    assert.equal(run.status, 0, shown(run));
    const results = toolResults(await model.chat(BAD_INPUTS.length + 1));
    for (const [index, [name, , expected]] of BAD_INPUTS.entries()) {
      assert.match(results[index] ?? "", expected, name);
    }
    assert.match(results.at(-1) ?? "", /"decision":"unavailable"/);
    assert.equal((await artifactFolders(cli)).length, 1);
  });
});

Deno.test("exit_plan is for the agent that plans alone", async () => {
  await withCli(async (cli) => {
    await using model = await startModel([callTurn(["exit_plan", { plan: PLAN }])]);
    await useModel(cli, model, {});
    const run = await cli.run(["run", "build it"]);
    assert.equal(run.status, 0, shown(run));
    assert.equal(toolOf(await model.chat(0), "exit_plan"), undefined);
    assert.match(toolResults(await model.chat(1))[0] ?? "", /"code":"not_offered"/);
    await assert.rejects(Deno.stat(join(cli.stateHome, "artifacts")), Deno.errors.NotFound);
  });
});

for (
  const [name, plan, maxItems] of [
    ["by default", {}, 5],
    ["as configured", { maxDiagrams: 2 }, 2],
    ["not where they are off", { diagrams: false }, undefined],
    ["not where none may be there", { maxDiagrams: 0 }, undefined],
  ] as const
) {
  Deno.test(`exit_plan offers diagrams ${name}`, async () => {
    await withCli(async (cli) => {
      await using model = await startModel([chatReply({ text: "Hi" })]);
      await useModel(cli, model, { ...PLANNING, plan });
      await cli.run(["run", "plan it"]);
      const schema = toolOf(await model.chat(0), "exit_plan") as {
        readonly properties: { readonly diagrams?: { readonly maxItems: number } };
      };
      assert.equal(schema.properties.diagrams?.maxItems, maxItems);
    });
  });
}

Deno.test("A plan is kept where its files cannot be written, and where its state is broken", async () => {
  await withCli(async (cli) => {
    await using model = await startModel([
      callTurn(["exit_plan", { plan: PLAN }]),
      chatReply({ text: "One" }),
      callTurn(["exit_plan", { plan: PLAN }]),
      chatReply({ text: "Two" }),
    ]);
    await useModel(cli, model, PLANNING);
    await Deno.mkdir(cli.stateHome, { recursive: true });
    await Deno.writeTextFile(join(cli.stateHome, "artifacts"), "in the way");
    const first = await cli.run(["run", "plan it"]);
    assert.equal(first.status, 0, shown(first));
    const refused = lastResult(await model.chat(1));
    assert.deepEqual([refused.decision, refused.artifactId], ["unavailable", undefined]);
    assert.match(
      String(refused.note),
      /^The plan could not be written to a file: .* in the session$/s,
    );
    const session = await onlySession(cli);
    {
      using db = new DatabaseSync(join(cli.stateHome, "sessions.sqlite"));
      db.prepare("UPDATE sessions SET options = ?").run('{"plan":{"status":"approved","x":[]}}');
    }
    await Deno.remove(join(cli.stateHome, "artifacts"));
    const second = await cli.run(["resume", session, "again"]);
    assert.equal(second.status, 0, shown(second));
    const { revision, note, artifactId } = lastResult(await model.chat(3));
    assert.deepEqual([revision, note], [1, undefined]);
    assert.match(String(artifactId), /^art_[0-9a-f]{20}$/);
  });
});
