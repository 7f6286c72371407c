import assert from "node:assert/strict";
import type { ApprovalReply } from "../../../core/gate/approval.ts";
import {
  ASCII_THEME,
  assertDrawable,
  COLOUR_THEME,
  HOSTILE_TEXTS,
  KEYS,
} from "../../support/panel_scene.ts";
import { COMMAND, createQuestionScene, questionAbout } from "./_question_scene.ts";

const { signal } = new AbortController();

Deno.test("createQuestions() shows what exactly would run, and every answer", async () => {
  const scene = createQuestionScene();
  const reply = scene.questions.approvals.ask(
    questionAbout({
      agentPath: ["general", "explore"],
      summary: { command: "make test", paths: [], programs: [{ name: "make", path: "/w/make" }] },
    }),
    { signal },
  );
  await scene.ready();
  assert.equal(
    scene.screen(80),
    [
      "▞▞ general › explore asks: Allow shell (process)?",
      "│ make test",
      "- in: /home/ana/shop",
      "- starts: make, which is /w/make",
      '- why: "shell" means running processes',
      "› y  Allow once",
      "  a  Always allow running programs (process) in this session",
      "  e  Deny, and answer in its place",
      "  n  Deny",
      "Enter choose · Esc deny · y/a/e/n answer · Ctrl+C stop",
    ].join("\n"),
  );
  scene.answer("y");
  assert.equal(await reply, "once");
  assert.ok(scene.isEmpty());
});

Deno.test("createQuestions() draws a question at 40 columns and 15 rows", async () => {
  // Rows of a panel in a window of that size.
  const scene = createQuestionScene({ rows: 10 });
  const reply = scene.questions.approvals.ask(questionAbout(), { signal });
  await scene.ready();
  assert.equal(
    scene.screen(40),
    [
      "▞▞ Allow shell (process)?",
      "│ make test",
      "- in: /home/ana/shop",
      '- why: "shell" means running processes',
      "› y  Allow once",
      "  a  Always allow running programs",
      "     (process) in this session",
      "  e  Deny, and answer in its place",
      "  n  Deny",
      "Enter choose · Esc deny · y/a/e/n answer",
    ].join("\n"),
  );
  scene.answer(KEYS.escape);
  assert.equal(await reply, "deny");
});

Deno.test("createQuestions() draws a question in ASCII", async () => {
  const scene = createQuestionScene({ theme: ASCII_THEME, rows: 7 });
  const reply = scene.questions.approvals.ask(
    questionAbout({ agentPath: ["general", "explore"] }),
    { signal },
  );
  await scene.ready();
  assert.equal(
    scene.screen(60),
    [
      "## general > explore asks: Allow shell (process)?",
      "| make test",
      "- in: /home/ana/shop",
      '- why: "shell" means running processes',
      ">y once  a always  e answer  n deny",
      "Enter choose - Esc deny - y/a/e/n answer - Ctrl+C stop",
    ].join("\n"),
  );
  scene.answer("n");
  assert.equal(await reply, "deny");
});

Deno.test("createQuestions() takes the answer that was chosen", async () => {
  const rows: readonly (readonly [keys: readonly string[], reply: ApprovalReply])[] = [
    [["y"], "once"],
    [["a"], "session"],
    [["n"], "deny"],
    [["Y"], "once"],
    [["\x1b[121u"], "once"],
    [[KEYS.escape], "deny"],
    [[KEYS.enter], "once"],
    [[KEYS.down, KEYS.enter], "session"],
    [[KEYS.up, KEYS.enter], "deny"],
    [["x", "q", "1", KEYS.down, KEYS.down, KEYS.down, KEYS.enter], "deny"],
    [["e", ..."No: use npm", KEYS.enter], { replacement: "No: use npm" }],
    [["e", KEYS.tab, KEYS.enter], { replacement: "Run this instead: make test" }],
    [["e", "\x1b[200~one\ntwo\x1b[201~", "\x1b\r", "3", KEYS.enter], {
      replacement: "one\ntwo\n3",
    }],
    [["e", "a", "\n", KEYS.backspace, "b", KEYS.enter], { replacement: "ab" }],
    // Nothing to say is no answer, and one can think better of it.
    [["e", KEYS.enter, " ", KEYS.enter, KEYS.escape, "y"], "once"],
  ];
  for (const [keys, expected] of rows) {
    const scene = createQuestionScene();
    const reply = scene.questions.approvals.ask(questionAbout(), { signal });
    await scene.ready();
    scene.answer(...keys);
    assert.deepEqual(await reply, expected, JSON.stringify(keys));
    assert.equal(scene.clock.waiting, 0);
  }
});

Deno.test("createQuestions() offers no more than the question does", async () => {
  const scene = createQuestionScene();
  const reply = scene.questions.approvals.ask(
    questionAbout({
      choices: ["once", "deny"],
      subject: { kind: "directory", path: "/srv/data" },
    }),
    { signal },
  );
  await scene.ready();
  const screen = scene.screen();
  assert.match(
    screen,
    /^▞▞ Allow shell \(process\) to reach a directory outside the workspace\?\n- directory: \/srv\/data\n/,
  );
  assert.doesNotMatch(screen, /Always|in its place/);
  scene.answer("a", "e", "y");
  assert.equal(await reply, "once");
});

Deno.test("createQuestions() offers a directory for the session", async () => {
  const scene = createQuestionScene();
  const reply = scene.questions.approvals.ask(
    questionAbout({ subject: { kind: "directory", path: "/srv/data" } }),
    { signal },
  );
  await scene.ready();
  assert.match(scene.screen(), /a {2}Always allow this directory and all below it in this session/);
  scene.answer("a");
  assert.equal(await reply, "session");
});

Deno.test("createQuestions() lets nobody allow what was not shown", async () => {
  const lines = Array.from({ length: 60 }, (_, index) => `echo ${index}`);
  const preview = { ...COMMAND, body: [...lines, "rm -rf ~"].join("\n") };
  const scene = createQuestionScene({ preview, rows: 12 });
  const reply = scene.questions.approvals.ask(questionAbout(), { signal });
  await scene.ready();
  assert.match(scene.screen(), /\nRows 1 to 8 of 63; PgDn PgUp Home End scroll\n/);
  scene.answer("y", KEYS.enter, "a");
  assert.match(scene.screen(), /Read it to its end before you allow it: PgDn, End$/);
  scene.answer(KEYS.pageDown);
  assert.match(scene.screen(), /\nRows 8 to 15 of 63/);
  scene.answer(KEYS.pageUp, KEYS.end);
  assert.match(scene.screen(), /│ rm -rf ~\n- in: [^\n]*\n- why: [^\n]*\nRows 56 to 63 of 63/);
  scene.answer(KEYS.home, "y");
  assert.equal(await reply, "once");
});

Deno.test("createQuestions() lets a cut question be denied", async () => {
  const preview = { ...COMMAND, body: "x\n".repeat(100) };
  for (const key of ["n", KEYS.escape]) {
    const scene = createQuestionScene({ preview, rows: 2 });
    const reply = scene.questions.approvals.ask(questionAbout(), { signal });
    await scene.ready();
    scene.answer(KEYS.end, "y", "a", key);
    assert.equal(await reply, "deny");
  }
});

Deno.test("createQuestions() colours the lines of a change", async () => {
  const scene = createQuestionScene({
    theme: COLOUR_THEME,
    preview: { facts: [["path", "a.ts"]], body: "@@ -1 +1 @@\n-old\n+new\n same", form: "change" },
  });
  void scene.questions.approvals.ask(questionAbout({ tool: "edit_file", effect: "write" }), {
    signal,
  });
  await scene.ready();
  const screen = scene.panel().render(80).join("\n");
  const paint = COLOUR_THEME.paint.bind(COLOUR_THEME);
  for (
    const line of [paint("hunk", "@@ -1 +1 @@"), paint("removed", "-old"), paint("added", "+new")]
  ) {
    assert.ok(screen.includes(line), line);
  }
  scene.panels.close();
});

Deno.test("createQuestions() takes nothing for an answer that was typed before or pasted", async () => {
  const scene = createQuestionScene();
  const reply = scene.questions.approvals.ask(questionAbout(), { signal });
  await Promise.resolve();
  await Promise.resolve();
  scene.panel().render(80);
  scene.answer("y", KEYS.enter);
  assert.match(scene.screen(), /\nWhat was typed or pasted answers nothing$/);
  scene.clock.pass(300);
  const paste = "\x1b[200~y\r\x1b[201~";
  scene.answer(paste);
  // A terminal that knows no brackets sends the keys at once.
  for (const key of ["y", KEYS.enter, "y", KEYS.enter]) scene.panel().handleInput(key);
  scene.clock.pass(1_000);
  assert.deepEqual(scene.kept, ["y", paste, "y", "y"]);
  scene.answer("n");
  assert.equal(await reply, "deny");
});

Deno.test("createQuestions() stops the run at Ctrl+C, at any moment", async () => {
  const scene = createQuestionScene();
  const controller = new AbortController();
  const reply = scene.questions.approvals.ask(questionAbout(), { signal: controller.signal });
  await Promise.resolve();
  await Promise.resolve();
  scene.panel().handleInput(KEYS.ctrlC);
  assert.equal(scene.interrupts(), 1);
  controller.abort();
  assert.equal(await reply, "deny");
  assert.deepEqual(scene.said, [
    "Taken back, no answer is needed any more: Allow shell (process)?",
  ]);
});

Deno.test("createQuestions() puts questions in order, and takes back those that are not needed", async () => {
  const scene = createQuestionScene();
  const second = new AbortController();
  const ask = (tool: string, with_: AbortSignal) =>
    scene.questions.approvals.ask(questionAbout({ tool }), { signal: with_ });
  const replies = [ask("one", signal), ask("two", second.signal), ask("three", signal)];
  await scene.ready();
  assert.match(scene.screen(), /^▞▞ Allow one /);
  second.abort();
  scene.answer("y");
  await scene.ready();
  assert.match(scene.screen(), /^▞▞ Allow three /);
  assert.deepEqual(scene.said, ["Taken back, no answer is needed any more: Allow two (process)?"]);
  scene.answer("a");
  assert.deepEqual(await Promise.all(replies), ["once", "deny", "session"]);
  assert.deepEqual(scene.called, ["Allow one (process)?", "Allow three (process)?"]);
});

Deno.test("createQuestions() answers nothing when the screen is closed", async () => {
  const scene = createQuestionScene();
  const reply = scene.questions.approvals.ask(questionAbout(), { signal });
  await scene.ready();
  scene.panels.close();
  assert.deepEqual(await reply, { undecided: "unavailable" });
});

Deno.test("createQuestions() shows hostile texts in every part, whole and harmless", async () => {
  for (const text of HOSTILE_TEXTS) {
    for (const rows of [1, 2, 4, 10]) {
      const scene = createQuestionScene({
        rows,
        preview: { facts: [[text, text]], body: text, form: "change" },
      });
      const controller = new AbortController();
      void scene.questions.approvals.ask(
        questionAbout({
          tool: text,
          agentPath: [text, text],
          reason: text,
          summary: { paths: [], programs: [{ name: text, path: text }] },
          subject: { kind: "tool", tool: text },
        }),
        { signal: controller.signal },
      );
      await scene.ready();
      for (const width of [1, 7, 40]) {
        assertDrawable(scene.panel(), { width, rows });
        for (const key of [KEYS.end, KEYS.pageUp, "e"]) scene.answer(key);
        assertDrawable(scene.panel(), { width, rows });
        scene.answer(KEYS.left);
      }
      controller.abort();
    }
  }
});

Deno.test("createQuestions() lets no content stand where its own sign does", async () => {
  const fake = "▞▞ Allow shell (process)?\n› y  Allow once";
  const scene = createQuestionScene({
    rows: 19,
    preview: { facts: [["path", fake]], body: fake },
  });
  void scene.questions.approvals.ask(questionAbout({ agentPath: [fake], reason: fake }), {
    signal,
  });
  await scene.ready();
  const lines = scene.screen().split("\n");
  assert.deepEqual(
    lines.filter((line) => line.includes("▞▞")).length,
    lines.findIndex((line) => line.startsWith("- ")),
  );
  assert.deepEqual(lines.filter((line) => /^› y/.test(line)), ["› y  Allow once"]);
  scene.panels.close();
});

Deno.test("createQuestions() shows a command of a megabyte to its end", async () => {
  const body = `${"echo 0123456789; ".repeat(60_000)}\n${"ls\n".repeat(5_000)}rm -rf ~`;
  const scene = createQuestionScene({ preview: { ...COMMAND, body } });
  const reply = scene.questions.approvals.ask(questionAbout(), { signal });
  await scene.ready();
  scene.answer("y", KEYS.end);
  assertDrawable(scene.panel(), { width: 80, rows: 14 });
  assert.match(scene.screen(), /│ rm -rf ~\n/);
  scene.answer("y");
  assert.equal(await reply, "once");
});
