import assert from "node:assert/strict";
import type { Question, QuestionAnswer } from "../../../core/tools/user_question.ts";
import { ASCII_THEME, assertDrawable, HOSTILE_TEXTS, KEYS } from "../../support/panel_scene.ts";
import { createQuestionScene } from "./_question_scene.ts";

const { signal } = new AbortController();

const DATABASE: Question = {
  header: "Database",
  question: "Which database should the shop use?",
  multiSelect: false,
  options: [
    { label: "SQLite", description: "One file, no server" },
    { label: "PostgreSQL", description: "A server of its own", recommended: true },
  ],
};
const PARTS: Question = {
  header: "Parts",
  question: "What should be built first?",
  multiSelect: true,
  options: [{ label: "Cart" }, { label: "Search" }, { label: "Login" }],
};
const NAME: Question = {
  header: "Name",
  question: "Which name?",
  multiSelect: false,
  options: [{ label: "shop" }, { label: "store" }],
};

function picked(header: string, ...selected: readonly string[]): QuestionAnswer {
  return { header, skipped: false, selected };
}

function skipped(header: string): QuestionAnswer {
  return { header, skipped: true, selected: [] };
}

async function ask(
  questions: readonly Question[],
  keys: readonly string[],
): Promise<readonly QuestionAnswer[]> {
  const scene = createQuestionScene();
  const answers = scene.questions.ask(questions, { callId: "c", signal });
  await scene.ready();
  scene.answer(...keys);
  return await answers;
}

Deno.test("createQuestions() asks with everything that belongs to a question", async () => {
  const scene = createQuestionScene();
  const answers = scene.questions.ask([DATABASE, PARTS], { callId: "c", signal });
  await scene.ready();
  assert.equal(
    scene.screen(80),
    [
      "▞▞ Question 1/2 · Database",
      "│ Which database should the shop use?",
      "  SQLite",
      "    One file, no server",
      "› PostgreSQL (recommended)",
      "    A server of its own",
      "  Something else, in your own words",
      "Enter next · Esc skip · Ctrl+C stop",
    ].join("\n"),
  );
  scene.answer(KEYS.enter, " ", KEYS.down, KEYS.right);
  assert.equal(
    scene.screen(40),
    [
      "▞▞ Question 2/2 · Parts",
      "│ What should be built first?",
      "  [x] Cart",
      "› [x] Search",
      "  [ ] Login",
      "  [ ] Something else, in your own words",
      "Enter submit · Esc skip · Space toggle",
    ].join("\n"),
  );
  scene.answer(KEYS.enter);
  assert.deepEqual(await answers, [
    picked("Database", "PostgreSQL"),
    picked("Parts", "Cart", "Search"),
  ]);
  assert.deepEqual(scene.said, ["Database: PostgreSQL\nParts: Cart, Search"]);
});

Deno.test("createQuestions() takes answers by their keys", async () => {
  const rows: readonly (readonly [
    questions: readonly Question[],
    keys: readonly string[],
    answers: readonly QuestionAnswer[],
  ])[] = [
    [[DATABASE], [KEYS.enter], [picked("Database", "PostgreSQL")]],
    [[DATABASE], [KEYS.up, KEYS.enter], [picked("Database", "SQLite")]],
    // Three lines, whose ends meet.
    [[NAME], [KEYS.down, KEYS.down, KEYS.down, KEYS.enter], [picked("Name", "shop")]],
    [[NAME], [" ", KEYS.right, "x", KEYS.enter], [picked("Name", "shop")]],
    [[PARTS], [KEYS.enter], [picked("Parts")]],
    [[PARTS], [" ", " ", KEYS.down, " ", KEYS.enter], [picked("Parts", "Search")]],
    // Esc skips the question that is shown, and no other one.
    [[NAME, DATABASE], [KEYS.escape, KEYS.enter], [
      skipped("Name"),
      picked("Database", "PostgreSQL"),
    ]],
    [[NAME, DATABASE], [KEYS.enter, KEYS.escape], [picked("Name", "shop"), skipped("Database")]],
    // Back to an answer, which is kept until another one is given.
    [
      [NAME, DATABASE],
      [KEYS.down, KEYS.enter, KEYS.left, KEYS.enter, KEYS.enter],
      [picked("Name", "store"), picked("Database", "PostgreSQL")],
    ],
    [
      [NAME, DATABASE],
      [KEYS.enter, KEYS.backspace, KEYS.down, KEYS.enter, KEYS.enter],
      [picked("Name", "store"), picked("Database", "PostgreSQL")],
    ],
    // Nothing is before the first one.
    [[NAME], [KEYS.left, KEYS.backspace, KEYS.enter], [picked("Name", "shop")]],
    // Marks that were not confirmed are dropped on the way back; then the suggested one is marked.
    [
      [NAME, PARTS],
      [KEYS.enter, KEYS.down, " ", KEYS.left, KEYS.enter, KEYS.enter],
      [picked("Name", "shop"), picked("Parts", "Cart")],
    ],
    // Marks that were confirmed are not.
    [
      [PARTS, NAME],
      [KEYS.down, " ", KEYS.enter, KEYS.left, KEYS.enter, KEYS.enter],
      [picked("Parts", "Search"), picked("Name", "shop")],
    ],
    [
      [PARTS, NAME],
      [KEYS.escape, KEYS.left, KEYS.enter, KEYS.enter],
      [picked("Parts", "Cart"), picked("Name", "shop")],
    ],
    // Words of the person's own.
    [[NAME], [KEYS.up, KEYS.enter, ..."bazaar", KEYS.enter], [picked("Name", "bazaar")]],
    [[NAME], [KEYS.up, ..."no 1", KEYS.enter], [picked("Name", "no 1")]],
    [[NAME], [KEYS.up, "x", KEYS.escape, KEYS.down, KEYS.enter], [picked("Name", "shop")]],
    [
      [PARTS],
      [" ", KEYS.up, ..."Blog", KEYS.enter, KEYS.enter],
      [picked("Parts", "Cart", "Blog")],
    ],
    [[NAME], [KEYS.up, "\x1b[200~a\nb\x1b[201~", KEYS.enter, "c", KEYS.enter], [
      picked("Name", "c"),
    ]],
  ];
  for (const [questions, keys, answers] of rows) {
    assert.deepEqual(await ask(questions, keys), answers, JSON.stringify(keys));
  }
});

Deno.test("createQuestions() sums up what was answered", async () => {
  const scene = createQuestionScene();
  const long = { ...NAME, options: [{ label: "y".repeat(80) }, { label: "z" }] };
  const answers = scene.questions.ask([DATABASE, PARTS, long], { callId: "c", signal });
  await scene.ready();
  scene.answer(KEYS.escape, KEYS.enter, KEYS.enter);
  await answers;
  assert.deepEqual(scene.said, [
    `Database: _Skipped_\nParts: _None selected_\nName: ${"y".repeat(60)}…`,
  ]);
});

Deno.test("createQuestions() says which plugin asks, and takes no words for it", async () => {
  const scene = createQuestionScene({ theme: ASCII_THEME });
  const options = Array.from({ length: 20 }, (_, index) => ({ label: `choice ${index + 1}` }));
  const answers = scene.questions.ask(
    [{ header: "memory", question: "Which one?", multiSelect: false, options }],
    { callId: "c", plugin: "memory", signal },
  );
  await scene.ready();
  scene.answer(...Array.from({ length: 10 }, () => KEYS.down));
  assert.equal(
    scene.screen(60),
    [
      "## plugin memory asks: Question 1/1 - memory",
      "| Which one?",
      "  ^ 2 more above",
      ...[3, 4, 5, 6, 7, 8, 9, 10].map((index) => `  choice ${index}`),
      "> choice 11",
      "  v 9 more below",
      "Enter submit - Esc skip - Ctrl+C stop",
    ].join("\n"),
  );
  scene.answer(KEYS.up, KEYS.enter);
  assert.deepEqual(await answers, [picked("memory", "choice 10")]);
});

Deno.test("createQuestions() says which server asks, and takes words only where it wants some", async () => {
  const scene = createQuestionScene({ theme: ASCII_THEME });
  const title = { ...NAME, options: [{ label: "Type it", takesText: true }, { label: "Decline" }] };
  const answers = scene.questions.ask([title, NAME], {
    callId: "mcp:notes",
    server: "notes",
    signal,
  });
  await scene.ready();
  assert.match(
    scene.screen(60),
    /^## MCP server notes asks: Question 1\/2 - Name\n[^]*\n {2}Decline\n> Type it\n/,
  );
  scene.answer("A", "d", "a", KEYS.enter);
  assert.match(scene.screen(60), /^## MCP server notes asks: Question 2\/2/);
  assert.doesNotMatch(scene.screen(60), /own words/);
  scene.answer(KEYS.enter);
  assert.deepEqual(await answers, [picked("Name", "Ada"), picked("Name", "shop")]);
});

Deno.test("createQuestions() leaves a question of a plugin at Ctrl+C", async () => {
  const scene = createQuestionScene();
  const answers = scene.questions.ask([NAME], { callId: "c", plugin: "memory", signal });
  await scene.ready();
  scene.answer(KEYS.ctrlC);
  assert.deepEqual(await answers, [skipped("Name")]);
  assert.equal(scene.interrupts(), 1);
});

Deno.test("createQuestions() says which agent asks", async () => {
  const scene = createQuestionScene();
  const agentPath = ["general", "explore"];
  const answers = scene.questions.ask([NAME], { callId: "c", agentPath, signal });
  await scene.ready();
  assert.match(scene.screen(), /^▞▞ general › explore asks: Question 1\/1 · Name\n/);
  scene.answer(KEYS.enter);
  assert.deepEqual(await answers, [picked("Name", "shop")]);
});

Deno.test("createQuestions() scrolls a question that is too long", async () => {
  const scene = createQuestionScene({ rows: 9 });
  const question = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join("\n");
  const answers = scene.questions.ask([{ ...NAME, question }], { callId: "c", signal });
  await scene.ready();
  assert.match(scene.screen(), /│ line 1\n[^]*\nRows 1 to 3 of 30; PgDn PgUp scroll\n› shop\n/);
  scene.answer(KEYS.pageDown, KEYS.pageDown, KEYS.pageUp);
  assert.match(scene.screen(), /Rows 2 to 4 of 30/);
  scene.answer(KEYS.enter);
  await answers;
});

Deno.test("createQuestions() takes nothing for an answer that was typed before or pasted", async () => {
  const scene = createQuestionScene();
  const answers = scene.questions.ask([NAME], { callId: "c", signal });
  scene.panel().render(80);
  scene.answer(KEYS.enter, "h");
  scene.clock.pass(300);
  scene.answer("\x1b[200~x\r\x1b[201~");
  assert.match(scene.screen(), /What was typed or pasted answers nothing$/);
  assert.deepEqual(scene.kept, ["h", "\x1b[200~x\r\x1b[201~"]);
  scene.answer(KEYS.down, KEYS.enter);
  assert.deepEqual(await answers, [picked("Name", "store")]);
});

Deno.test("createQuestions() takes questions of the model back", async () => {
  const scene = createQuestionScene();
  const controller = new AbortController();
  const answers = scene.questions.ask([NAME], { callId: "c", signal: controller.signal });
  scene.panel().handleInput(KEYS.ctrlC);
  assert.equal(scene.interrupts(), 1);
  controller.abort(new Error("Stopped by the person"));
  await assert.rejects(answers, { message: "Stopped by the person" });
  assert.deepEqual(scene.said, ["Taken back, no answer is needed any more: Name"]);
  assert.ok(scene.isEmpty());
  const other = scene.questions.ask([NAME, PARTS], { callId: "c", signal });
  scene.panels.close();
  assert.deepEqual(await other, [skipped("Name"), skipped("Parts")]);
});

Deno.test("createQuestions() shows hostile questions at every size", async () => {
  for (const text of HOSTILE_TEXTS) {
    const question: Question = {
      header: text,
      question: text,
      multiSelect: true,
      options: [
        { label: text, description: text, recommended: true },
        { label: `${text}2`, description: text },
      ],
    };
    for (const rows of [1, 2, 4, 10]) {
      const scene = createQuestionScene({ rows });
      const answers = scene.questions.ask([question, question], {
        callId: "c",
        plugin: text,
        signal,
      });
      await scene.ready();
      for (const width of [1, 7, 40]) {
        assertDrawable(scene.panel(), { width, rows });
        scene.answer(KEYS.down, KEYS.pageDown);
        assertDrawable(scene.panel(), { width, rows });
      }
      scene.panels.close();
      await answers;
    }
  }
});
