import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { onlySession, useModel } from "../../e2e/_support.ts";
import { type CliScene, withCli } from "../../support/cli_harness.ts";
import {
  callTurn,
  messagesOf,
  type ModelTurn,
  type ScriptedModel,
  startModel,
  toolResults,
} from "../../support/scripted_model.ts";
import { chatReply } from "../../support/stub_replies.ts";
import { HAS_TMUX, startTmux, type TmuxTerminal } from "../../support/tmux.ts";

const PLAN = "# Greet\n\n## Goal\nSay hello.\n\n## Steps\n1. Write it\n";
const QUESTION = /Plan complete\. What would you like to do\?/;
/** The question takes an answer now. */
const READY = /Enter submit/;

interface PlanScene {
  readonly tmux: TmuxTerminal;
  readonly cli: CliScene;
  readonly model: ScriptedModel;
  plan(): Promise<Record<string, unknown>>;
}

function onScreen(
  name: string,
  turns: readonly ModelTurn[],
  test: (scene: PlanScene) => Promise<void>,
): void {
  Deno.test({
    name,
    ignore: !HAS_TMUX,
    async fn() {
      await withCli(async (cli) => {
        await using model = await startModel(turns);
        await useModel(cli, model, {
          agents: { active: "plan" },
          // The summary at the end would be one request more.
          builtinPlugins: { memory: { autoSummary: false } },
        });
        await using tmux = await startTmux(cli, { rows: 40 });
        await tmux.sees(/Workspace/);
        await send(tmux, "Plan it");
        await test({ tmux, cli, model, plan: () => planOf(cli) });
      });
    },
  });
}

async function planOf(cli: CliScene): Promise<Record<string, unknown>> {
  const session = await onlySession(cli);
  using db = new DatabaseSync(join(cli.stateHome, "sessions.sqlite"), { readOnly: true });
  const row = db.prepare("SELECT options FROM sessions WHERE id = ?").get(session);
  return JSON.parse(String(row?.["options"])).plan;
}

async function send(tmux: TmuxTerminal, line: string): Promise<void> {
  await tmux.type(line);
  await tmux.sees(new RegExp(`› ${line}`));
  await tmux.press("Enter");
}

function propose(plan: string, more: Record<string, unknown> = {}): ModelTurn {
  return callTurn(["exit_plan", { plan, ...more }]);
}

function lastPrompt(request: Parameters<typeof messagesOf>[0]): string {
  return String(messagesOf(request).findLast(({ role }) => role === "user")?.content);
}

function approvals(model: ScriptedModel): number {
  return model.chats.filter((request) => lastPrompt(request).startsWith("<approved_plan")).length;
}

onScreen(
  "exit_plan has an approved plan implemented once, by the agent build",
  [
    propose(PLAN, {
      diagrams: [{
        id: "flow",
        title: "The flow",
        explanation: "How it goes",
        mermaid: `flowchart TD\n${[..."abcdefghij"].map((id) => `  ${id} --> z`).join("\n")}`,
      }],
    }),
    chatReply({ text: "It is handed over." }),
    chatReply({ text: "It is implemented." }),
  ],
  async ({ tmux, model, plan }) => {
    await tmux.sees(QUESTION);
    const screen = await tmux.sees(READY);
    for (const shown of [/Say hello\./, /The flow/, /… 3 more lines in/, /diagrams\/flow\.mmd/]) {
      assert.match(screen, shown);
    }
    // Shift+Tab is nothing here, and a second Enter starts no second run.
    await tmux.press("BTab", "Enter", "Enter");
    await tmux.sees(/Implement the approved plan: Greet/);
    await tmux.sees(/It is implemented\./);
    await tmux.press("C-d");
    assert.equal(await tmux.ended(), 0);
    assert.deepEqual([model.chats.length, approvals(model)], [3, 1]);
    const handed = await model.chat(1);
    const building = await model.chat(2);
    assert.match(toolResults(handed)[0] ?? "", /"decision":"approved"/);
    const system = String(messagesOf(building)[0]?.content);
    assert.doesNotMatch(system, /You work as the agent "plan"/);
    assert.match(lastPrompt(building), /^<approved_plan id="[^"]+" revision="1"[^]*Say hello\./);
    const { status, plan: snapshot } = await plan();
    assert.deepEqual([status, snapshot], ["implementing", undefined]);
  },
);

onScreen(
  "exit_plan takes context, and /plan shows what the revision changed",
  [
    propose(PLAN),
    propose(PLAN.replace("Write it", "Write it in Spanish")),
    chatReply({ text: "It stays a plan." }),
  ],
  async ({ tmux, model, plan }) => {
    await tmux.sees(QUESTION);
    await tmux.sees(READY);
    await tmux.press("Down", "Down", "Enter");
    await tmux.sees(/Enter take/);
    await tmux.type("in Spanish, please");
    await tmux.press("Escape");
    await tmux.sees(READY);
    await tmux.press("Enter");
    await tmux.sees(/Enter take/);
    await tmux.type("in Spanish");
    await tmux.press("Enter");
    await tmux.sees(/Write it in Spanish/);
    await tmux.sees(READY);
    await tmux.press("Escape");
    await tmux.sees(/It stays a plan\./);
    const second = await model.chat(1);
    const third = await model.chat(2);
    assert.match(toolResults(second)[0] ?? "", /"decision":"feedback".*"feedback":"in Spanish"/);
    assert.match(toolResults(third)[1] ?? "", /"decision":"skipped".*"revision":2/);
    assert.deepEqual([(await plan()).status, approvals(model)], ["skipped", 0]);
    await send(tmux, "/plan");
    await tmux.sees(
      /1\. Greet - context was added: in Spanish\n.*2\. Greet \(revision 2\) - skipped/,
    );
    await send(tmux, "/plan diff");
    await tmux.sees(/-1\. Write it\n.*\+1\. Write it in Spanish/);
    const coloured = await tmux.colouredScreen();
    // deno-lint-ignore no-control-regex -- a colour begins so
    assert.match(coloured, /\x1b\[[0-9;]*m[^\n]*-1\. Write it\b/);
    await tmux.press("C-d");
    assert.equal(await tmux.ended(), 0);
  },
);

onScreen(
  "exit_plan drops an approval when the run is stopped before it ended",
  [propose(PLAN), { steps: [{ do: "hang" }] }, chatReply({ text: "Something else." })],
  async ({ tmux, model, plan }) => {
    await tmux.sees(QUESTION);
    await tmux.sees(READY);
    await tmux.press("Enter");
    await model.chat(1);
    assert.equal((await plan()).status, "approved");
    await tmux.press("Escape");
    await tmux.sees(/[Cc]ancelled|[Ss]topped/);
    assert.equal((await plan()).status, "cancelled");
    await send(tmux, "Next");
    await tmux.sees(/Something else\./);
    assert.equal(approvals(model), 0);
    await tmux.press("C-d");
    assert.equal(await tmux.ended(), 0);
  },
);

onScreen(
  "exit_plan counts an open review as skipped when the program is left",
  [propose(PLAN)],
  async ({ tmux, plan }) => {
    await tmux.sees(QUESTION);
    await tmux.sees(READY);
    assert.equal((await plan()).status, "pending");
    await tmux.press("C-c");
    await tmux.seesNo(QUESTION);
    await tmux.sees(/[Cc]ancelled|[Ss]topped/);
    assert.equal((await plan()).status, "skipped");
    await tmux.press("C-d");
    assert.equal(await tmux.ended(), 0);
  },
);

onScreen(
  "exit_plan implements nothing after the program was killed, and says so",
  [propose(PLAN), { steps: [{ do: "hang" }] }, chatReply({ text: "Going on." })],
  async ({ tmux, cli, model, plan }) => {
    await tmux.sees(QUESTION);
    await tmux.sees(READY);
    await tmux.press("Enter");
    await model.chat(1);
    assert.equal((await plan()).status, "approved");
    const children = await Deno.readTextFile(`/proc/${tmux.pid}/task/${tmux.pid}/children`);
    Deno.kill(Number(children.trim().split(" ")[0]), "SIGKILL");
    await tmux.ended();
    const session = await onlySession(cli);
    const resumed = await cli.run(["resume", session, "go on"]);
    assert.deepEqual([resumed.status, resumed.stdout], [0, "Going on.\n"], resumed.stderr);
    assert.match(resumed.stderr, /The plan "Greet" was approved, and Alisio ended before/);
    assert.deepEqual([(await plan()).status, approvals(model)], ["cancelled", 0]);
  },
);

/** As long as a plan may be, with what a terminal would obey and what is wider than it looks. */
const NASTY = "# Nasty\n\n\u001b[2J\u001b]0;owned\u0007\u202e| 表 |\n" +
  `${"x".repeat(500)} 表表 \`\`\`\n`.repeat(118);

onScreen(
  "exit_plan shows the longest plan with control sequences in it, and obeys none",
  [propose(NASTY, { title: "Nasty \u001b[31m" }), chatReply({ text: "It stays a plan." })],
  async ({ tmux, plan }) => {
    assert.ok(NASTY.length > 59_000 && NASTY.length <= 60_000, String(NASTY.length));
    await tmux.sees(QUESTION);
    await tmux.sees(READY);
    assert.doesNotMatch(await tmux.tells("#{pane_title}"), /owned/);
    await tmux.resize(40, 20);
    await tmux.sees(/Plan complete\. What would you like t\n/);
    await tmux.press("Escape");
    await tmux.sees(/It stays a plan\./);
    const { status, title } = await plan();
    assert.deepEqual([status, title], ["skipped", "Nasty [31m"]);
    await tmux.press("C-d");
    assert.equal(await tmux.ended(), 0);
  },
);
