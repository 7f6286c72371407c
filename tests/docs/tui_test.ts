import assert from "node:assert/strict";
import { approvalView } from "../../core/gate/approval/approval_view.ts";
import { VERSION } from "../../core/version.ts";
import { listActions } from "../../tui/keys/bindings.ts";
import { formatKey } from "../../tui/keys/parse_key.ts";
import { LANGUAGES } from "../../tui/markdown/languages.ts";
import { SYSTEM_CLOCK } from "../../tui/questions/answer_guard.ts";
import { ApprovalPanel } from "../../tui/questions/approval_panel.ts";
import { QuestionPanel } from "../../tui/questions/question_panel.ts";
import { BUILT_IN_THEMES } from "../../tui/theme/built_in_themes.ts";
import { findBlocks, plain, tableUnder } from "../support/markdown.ts";
import { frameOf, PLAIN_THEME, seen } from "../support/panel_scene.ts";
import { transcriptScene } from "../tui/transcript/_scene.ts";
import { readPage } from "./_pages.ts";

const PAGE = "docs/tui.md";

const PANEL = {
  theme: () => PLAIN_THEME,
  frame: frameOf(18),
  // Time does not matter, and a question that is ready is shown.
  clock: { ...SYSTEM_CLOCK, schedule: (_: number, call: () => void) => (call(), () => {}) },
  onAnswer() {},
  onInterrupt() {},
  onDropped() {},
};

async function blockOf(comment: string): Promise<string | undefined> {
  return findBlocks(await readPage(PAGE)).find((block) => block.comment === comment)?.text;
}

/** Twice: the first drawing makes it ready. */
function drawn(panel: ApprovalPanel | QuestionPanel): string {
  panel.render(80);
  return `${seen(panel, 80)}\n`;
}

Deno.test(`${PAGE} shows a screen as it was seen in a terminal`, async () => {
  const stored = await Deno.readTextFile("tests/tui/screens/80x24/05_approval.txt");
  assert.equal(
    await blockOf("screen 80x24/05_approval"),
    stored.replaceAll("VERSION", VERSION)
      .replaceAll(/\/tmp\/alisio-test-[0-9a-f]+/g, "/home/ana"),
  );
});

Deno.test(`${PAGE} shows a conversation as it is drawn`, async () => {
  const answer = [
    "The accents were lost on the way in:",
    "",
    "1. `read.ts` took the file for **Latin-1**.",
    "2. It is UTF-8 now, and a test says so.",
  ].join("\n");
  const output = {
    kind: "terminal",
    output: "running 12 tests\nok\n12 passed, 0 failed\n",
  } as const;
  const scene = transcriptScene({
    results: {
      t: [{ type: "text", text: '{"exitCode":0,"endedBy":"exit"}' }, { type: "ui", block: output }],
    },
  });
  const call = (id: string, name: string, args: object, effect: string, durationMs: number) => {
    scene.emit("tool_started", { id, name, arguments: JSON.stringify(args), effect });
    scene.emit("tool_completed", { id, name, isError: false, durationMs, preview: "" });
  };
  scene.view.addPrompt("Why are the accents gone?");
  await scene.view.loaded();
  call("a", "search_text", { pattern: "latin1" }, "read", 41);
  call("b", "read_file", { path: "src/read.ts" }, "read", 12);
  const [oldText, newText] = ['decode(bytes, "latin1")', 'decode(bytes, "utf-8")'];
  call("c", "edit_file", { path: "src/read.ts", oldText, newText }, "write", 9);
  call("t", "run_process", { command: "deno", args: ["test"] }, "process", 2_914);
  scene.emit("text_delta", { delta: answer });
  scene.emit("run_completed", { tokens: 1, text: answer });
  assert.equal(await blockOf("conversation"), `${scene.rows(80).join("\n")}\n`);
});

Deno.test(`${PAGE} lists every action with its keys`, async () => {
  const rows = listActions().map(({ name, keys, description }) => [
    keys.map(formatKey).join(", "),
    `\`${name}\``,
    description,
  ]);
  assert.deepEqual(tableUnder(await readPage(PAGE), "Keys").rows, rows);
});

Deno.test(`${PAGE} counts the languages that are coloured`, async () => {
  const page = (await readPage(PAGE)).replaceAll(/\s+/g, " ");
  assert.ok(page.includes(`coloured in ${Object.keys(LANGUAGES).length} languages`));
});

Deno.test(`${PAGE} shows a question about a call as it is drawn`, async () => {
  const view = approvalView({
    sessionId: "s",
    agentPath: [],
    callId: "c",
    tool: "shell",
    effect: "process",
    arguments: "{}",
    summary: { paths: [], programs: [] },
    subject: { kind: "effect" },
    reason: '"shell" means running programs',
    choices: ["once", "session", "edit", "deny"],
  }, {
    facts: [["in", "/home/ana/shop"]],
    body: "deno test --quiet && git commit -am 'Keep accents'",
    form: "command",
  });
  assert.equal(await blockOf("approval"), drawn(new ApprovalPanel({ ...PANEL, view })));
});

Deno.test(`${PAGE} shows a question of the model as it is drawn`, async () => {
  const panel = new QuestionPanel({
    ...PANEL,
    asker: "",
    takesWords: true,
    questions: [{
      header: "Database",
      question: "Where should the shop keep its orders?",
      multiSelect: false,
      options: [
        { label: "SQLite", description: "One file, no server to look after", recommended: true },
        { label: "PostgreSQL", description: "A server of its own, for several shops" },
      ],
    }, {
      header: "Name",
      question: "Which name?",
      multiSelect: false,
      options: [{ label: "shop" }, { label: "store" }],
    }],
  });
  assert.equal(await blockOf("question"), drawn(panel));
});

Deno.test(`${PAGE} lists every role of a theme`, async () => {
  const { rows } = tableUnder(await readPage(PAGE), "Colours");
  assert.deepEqual(
    rows.map(([role = ""]) => plain(role)),
    Object.keys(BUILT_IN_THEMES.dark.roles),
  );
});
