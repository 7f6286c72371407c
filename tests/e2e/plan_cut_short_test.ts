import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { type CliScene, shown, withCli } from "../support/cli_harness.ts";
import { HAS_TERMINAL, IN_TERMINAL, Person } from "../support/person.ts";
import {
  callTurn,
  messagesOf,
  type ModelTurn,
  startModel,
  toolResults,
} from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { onlySession, useModel } from "./_support.ts";

const PLAN = "# Greet\n\n## Steps\n1. Write it\n";
const PLANNING = { agents: { active: "plan" } };

interface SessionFacts {
  readonly plan: string;
  readonly owner: number;
}

function factsOf(cli: CliScene, session: string): SessionFacts {
  using db = new DatabaseSync(join(cli.stateHome, "sessions.sqlite"), { readOnly: true });
  const row = db.prepare("SELECT options, locked_pid FROM sessions WHERE id = ?").get(session);
  return {
    plan: JSON.parse(String(row?.["options"])).plan?.status,
    owner: Number(row?.["locked_pid"]),
  };
}

const hang: ModelTurn = { steps: [{ do: "hang" }] };

const ROWS: readonly {
  readonly when: string;
  readonly turns: readonly ModelTurn[];
  readonly answer: readonly string[];
  readonly request: number;
  readonly before: string;
  readonly after: string;
  readonly told: boolean;
}[] = [
  {
    when: "while it is reviewed",
    turns: [callTurn(["exit_plan", { plan: PLAN }])],
    answer: [],
    request: 0,
    before: "pending",
    after: "skipped",
    told: false,
  },
  {
    when: "after it was approved",
    turns: [callTurn(["exit_plan", { plan: PLAN }]), hang],
    answer: ["1"],
    request: 1,
    before: "approved",
    after: "cancelled",
    told: true,
  },
  {
    when: "while it is implemented",
    turns: [callTurn(["exit_plan", { plan: PLAN }]), chatReply({ text: "Handed over" }), hang],
    answer: ["1"],
    request: 2,
    before: "implementing",
    after: "implementing",
    told: false,
  },
];

for (const { when, turns, answer, request, before, after, told } of ROWS) {
  Deno.test({
    name: `A plan whose program is killed ${when} is not implemented unasked`,
    ignore: !HAS_TERMINAL,
    fn: () =>
      withCli(async (cli) => {
        await using model = await startModel(turns);
        await useModel(cli, model, PLANNING);
        const person = new Person(cli.start([], IN_TERMINAL));
        await person.atPrompt();
        await person.type("Plan it\r");
        await person.sees(/Plan complete\. What would you like to do\?/);
        for (const each of answer) await person.answer(each);
        await model.chat(request);
        const session = await onlySession(cli);
        const { plan, owner } = factsOf(cli, session);
        assert.equal(plan, before);
        const other = await cli.run(["resume", session, "meanwhile"]);
        assert.equal(other.status, 1, shown(other));
        assert.match(other.stderr, /already in use/);
        Deno.kill(owner, "SIGKILL");
        await person.run.ended;

        await using later = await startModel([chatReply({ text: "Here" })]);
        const run = await cli.run(["resume", session, "go on", "--base-url", later.baseUrl]);
        assert.equal(run.status, 0, shown(run));
        assert.equal(factsOf(cli, session).plan, after);
        assert.equal(/was approved, and Alisio ended before/.test(run.stderr), told, shown(run));
        assert.equal(later.chats.length, 1, "nothing is implemented");
        const last = messagesOf(await later.chat(0)).at(-1);
        assert.match(JSON.stringify(last), /go on/);
        assert.deepEqual([...model.violations, ...later.violations], []);
      }),
  });
}

for (
  const [name, args, config] of [
    ["a risk profile that permits everything", ["--risk-profile", "open"], {
      riskProfiles: { open: { preset: "yolo", sandboxBackend: "none" } },
    }],
    ["a risk profile that only looks", ["--risk-profile", "quiet"], {
      riskProfiles: { quiet: { level: "readonly" } },
    }],
    ["a risk profile that asks", ["--risk-profile", "careful"], {
      riskProfiles: { careful: { level: "supervised" } },
    }],
    ["a sandbox", [], { sandbox: "auto" }],
    ["every flag", [], {}],
  ] as const
) {
  Deno.test(`The agent that plans only looks, and hands its plan over, with ${name}`, async () => {
    await using model = await startModel([
      callTurn(
        ["write_file", { path: "made.txt", content: "x", expectedHash: null }],
        ["shell", { command: "touch made.txt" }],
        ["bg_run", { command: "touch made.txt" }],
        ["webfetch", { url: "http://127.0.0.1:9/" }],
        ["list_files", { path: "." }],
      ),
      callTurn(["exit_plan", { plan: PLAN }]),
    ]);
    await withCli(async (cli) => {
      await Deno.writeTextFile(join(cli.workspace, "there.txt"), "x");
      await useModel(cli, model, { ...PLANNING, ...config });
      const flags = ["--allow-write", "--allow-process", "--allow-external"];
      const run = await cli.run(["run", "plan it", ...flags, ...args]);
      assert.ok(run.status === 0 || run.status === 5, shown(run));
      const results = toolResults(await model.chat(1));
      assert.equal(results.length, 5);
      assert.match(results.at(-1) ?? "", /there\.txt/);
      await assert.rejects(Deno.stat(join(cli.workspace, "made.txt")), Deno.errors.NotFound);
      for (const text of results.slice(0, 4)) {
        assert.match(text, /plan|not permitted|refused|no tool/i);
      }
      const [outcome] = toolResults(await model.chat(2)).slice(-1);
      assert.equal(JSON.parse(outcome ?? "{}").decision, "unavailable", shown(run));
      assert.match(run.stderr, /^artifact: document plan\.md /m);
      assert.deepEqual(model.violations, []);
    });
  });
}
