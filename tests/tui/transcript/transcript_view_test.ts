import assert from "node:assert/strict";
import type { StoredMessage } from "../../../core/session/stored_message.ts";
import { ASCII, COLOURED, transcriptScene } from "./_scene.ts";

function read(emit: (type: string, data: Record<string, unknown>) => void, id: string): void {
  const args = JSON.stringify({ path: `src/${id}.ts` });
  emit("tool_started", { id, name: "read_file", arguments: args, effect: "read" });
  emit("tool_completed", { id, name: "read_file", isError: false, durationMs: 20, preview: "" });
}

function lines(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");
}

Deno.test("TranscriptView tells of calls of one kind together, and opens them", () => {
  const { view, emit, rows } = transcriptScene();
  for (const id of ["a", "b", "c"]) read(emit, id);
  assert.deepEqual(rows(), ["✓ Read File — 3 reads · 60ms +"]);
  assert.equal(view.toggleAt(0), true);
  assert.deepEqual(rows(), [
    "✓ Read File — 3 reads · 60ms −",
    "  ✓ read_file src/a.ts · 20ms",
    "  ✓ read_file src/b.ts · 20ms",
    "  ✓ read_file src/c.ts · 20ms",
  ]);
  assert.equal(view.toggleAt(1), false);
  assert.equal(view.toggleLast(), true);
  assert.equal(rows().length, 1);
});

/** Kinds of calls, and how they are told together. */
const GROUPS: readonly (readonly [effect: string, names: readonly string[], row: string])[] = [
  ["read", ["read_file", "list_files"], "✓ Explored — 2 reads · 2ms +"],
  ["write", ["edit_file", "write_file"], "✓ Edited — 2 files · 2ms +"],
  ["process", ["shell", "shell"], "✓ Shell — 2 commands · 2ms +"],
  ["process", ["shell", "run_process"], "✓ Ran — 2 commands · 2ms +"],
  ["external", ["mcp_a_b", "mcp_a_b"], "✓ MCP · A B — 2 calls · 2ms +"],
  ["external", ["mcp_a_b", "mcp_c_d"], "✓ MCP — 2 calls · 2ms +"],
  ["external", ["task", "task"], "✓ Task — 2 tasks · 2ms +"],
];

for (const [effect, names, row] of GROUPS) {
  Deno.test(`TranscriptView shows ${names.join(" and ")} as ${row}`, () => {
    const { emit, rows } = transcriptScene();
    for (const [id, name] of names.entries()) {
      emit("tool_started", { id: `${id}`, name, arguments: "{}", effect });
      emit("tool_completed", { id: `${id}`, name, isError: false, durationMs: 1, preview: "" });
    }
    assert.equal(rows()[0], row);
  });
}

Deno.test("TranscriptView marks calls told together as failed if one of them failed", () => {
  const { emit, rows } = transcriptScene();
  read(emit, "a");
  emit("tool_started", { id: "b", name: "read_file", arguments: "{}", effect: "read" });
  emit("tool_completed", {
    id: "b",
    name: "read_file",
    isError: true,
    durationMs: 1,
    preview: "no",
  });
  assert.equal(rows()[0], "✗ Read File — 2 reads, 1 failed · 21ms +");
});

/** How many lines a call answered, and what is shown of them. */
const FOLDS: readonly (readonly [count: number, isError: boolean, shown: number, more?: string])[] =
  [
    [3, false, 3],
    [4, false, 3, "  … 1 more line"],
    [10_000, false, 3, "more lines"],
    [6, true, 6],
    [8, true, 6, "  … 2 more lines"],
  ];

for (const [count, isError, shown, more] of FOLDS) {
  Deno.test(`TranscriptView shows ${shown} of ${count} lines of a ${isError ? "failure" : "result"}`, () => {
    const content = [{ type: "text", text: lines(count) }] as const;
    const { view, emit, rows } = transcriptScene({ results: { a: content } });
    emit("tool_started", { id: "a", name: "webfetch", arguments: "{}", effect: "external" });
    emit("tool_completed", { id: "a", name: "webfetch", isError, durationMs: 5, preview: "" });
    const drawn = rows();
    assert.deepEqual(
      drawn.slice(1, 1 + shown),
      lines(shown).split("\n").map((each) => `  ${each}`),
    );
    assert.equal(drawn.length, 1 + shown + (more === undefined ? 0 : 1));
    assert.ok((drawn.at(-1) ?? "").endsWith(more ?? `line ${shown}`), drawn.at(-1));
    assert.equal(view.toggleAt(drawn.length - 1), more !== undefined);
    if (more !== undefined) assert.ok(rows(60, 1_000).length > shown + 2 || count === 4);
  });
}

Deno.test("TranscriptView says how a command ended, and shows its output", () => {
  const content = [
    {
      type: "text",
      text: '{"exitCode":3,"endedBy":"exit","stdout":"a","stderr":"","truncated":false}',
    },
    { type: "ui", block: { kind: "terminal", output: "a\nb\n", exitCode: 3 } },
  ] as const;
  const { emit, rows } = transcriptScene({ results: { a: content } });
  const args = JSON.stringify({ command: "make all" });
  emit("tool_started", { id: "a", name: "shell", arguments: args, effect: "process" });
  emit("tool_completed", {
    id: "a",
    name: "shell",
    isError: false,
    durationMs: 1_500,
    preview: "",
  });
  assert.deepEqual(rows(), [
    "✗ Shell make all · 1.5s",
    "  a",
    "  b",
    "  Command exited with code 3.",
  ]);
});

/** Exit codes, lines of output, and what is shown. */
const ENDINGS: readonly (readonly [code: number, count: number, rows: readonly string[]])[] = [
  [0, 3, ["✓ Shell make · 5ms", "  line 1", "  line 2", "  line 3"]],
  [0, 5, ["✓ Shell make · 5ms +", "  … 2 more lines before", "  line 3", "  line 4", "  line 5"]],
  [2, 7, [
    "✗ Shell make · 5ms +",
    "  … 1 more line before",
    ...lines(7).split("\n").slice(1).map((each) => `  ${each}`),
  ]],
];

for (const [exitCode, count, expected] of ENDINGS) {
  Deno.test(`TranscriptView shows the end of ${count} lines of a command that ended with ${exitCode}`, () => {
    const text = JSON.stringify({ exitCode, endedBy: "exit", stdout: lines(count), stderr: "" });
    const { view, emit, rows } = transcriptScene({ results: { a: [{ type: "text", text }] } });
    const args = JSON.stringify({ command: "make" });
    emit("tool_started", { id: "a", name: "shell", arguments: args, effect: "process" });
    emit("tool_completed", {
      id: "a",
      name: "shell",
      isError: false,
      durationMs: 5,
      preview: "",
    });
    assert.deepEqual(rows(), [...expected, `  Command exited with code ${exitCode}.`]);
    assert.equal(view.toggleAt(1), count > 3);
    if (count > 3) assert.equal(rows()[1], "  line 1");
  });
}

Deno.test("TranscriptView tells how many commands of a group failed", () => {
  const resultOf = (exitCode: number) =>
    [{ type: "text", text: JSON.stringify({ exitCode, stdout: "x", stderr: "" }) }] as const;
  const results = { a: resultOf(0), b: resultOf(1) };
  const { emit, rows } = transcriptScene({ results });
  for (const id of ["a", "b"]) {
    const args = JSON.stringify({ command: "make" });
    emit("tool_started", { id, name: "shell", arguments: args, effect: "process" });
    emit("tool_completed", { id, name: "shell", isError: false, durationMs: 5, preview: "" });
  }
  assert.deepEqual(rows(), ["✗ Shell — 2 commands, 1 failed · 10ms +"]);
});

Deno.test("TranscriptView shows the change of an edit from its arguments, then from its result", () => {
  const patch = "--- a\n+++ b\n@@ -7,3 +7,3 @@\n a\n-b\n+B\n c\n";
  const content = [{ type: "text", text: '{"path":"x.ts","sha256":"0"}' }, {
    type: "ui",
    block: { kind: "diff", patch },
  }] as const;
  const { view, emit, rows } = transcriptScene({ results: { a: content } });
  const args = JSON.stringify({ path: "x.ts", oldText: "a\nb\nc", newText: "a\nB\nc" });
  emit("tool_started", { id: "a", name: "edit_file", arguments: args, effect: "write" });
  emit("approval_requested", { id: "a", name: "edit_file", effect: "write", channel: "terminal" });
  assert.deepEqual(rows(), [
    "◆ Edit File x.ts · waiting for your approval",
    "  1   a",
    "  2 - b",
    "  2 + B",
    "  3   c",
  ]);
  emit("tool_completed", {
    id: "a",
    name: "edit_file",
    isError: false,
    durationMs: 9,
    preview: "",
  });
  assert.deepEqual(rows(), [
    "✓ Edit File x.ts · 9ms",
    "  @@ -7,3 +7,3 @@",
    "  7   a",
    "  8 - b",
    "  8 + B",
    "  9   c",
  ]);
  view.clear();
});

Deno.test("TranscriptView shows what a thought was only where it is opened", () => {
  const { view, emit, rows } = transcriptScene();
  emit("reasoning_delta", { delta: lines(60) });
  assert.deepEqual(rows(), ["✻ thinking…"]);
  emit("text_delta", { delta: "So" });
  assert.match(rows()[0] ?? "", /^\+ Thought · \d+ms$/);
  assert.equal(view.toggleLast(), true);
  const drawn = rows(60, 100);
  assert.match(drawn[0] ?? "", /^− Thought/);
  assert.deepEqual([drawn[1], drawn[40], drawn[41]], [
    "  line 1",
    "  line 40",
    "  … 20 more lines",
  ]);
});

Deno.test("TranscriptView hints at copying below the final answer alone", () => {
  const events = (scene: ReturnType<typeof transcriptScene>): readonly string[] => {
    scene.emit("text_delta", { delta: "I look." });
    read(scene.emit, "a");
    scene.emit("text_delta", { delta: "Done." });
    scene.emit("run_completed", { tokens: 1, text: "Done." });
    return scene.rows();
  };
  assert.deepEqual(events(transcriptScene()), [
    "  I look.",
    "",
    "✓ Read File src/a.ts · 20ms",
    "",
    "  Done.",
    "  ⎘ copy · /copy",
  ]);
  assert.equal(events(transcriptScene({ look: ASCII })).at(-1), "  [copy] - /copy");
});

Deno.test("TranscriptView.lastAnswer() is the answer as the model wrote it", () => {
  const { view, emit } = transcriptScene();
  assert.equal(view.lastAnswer(), undefined);
  emit("text_delta", { delta: "**a** \x1b[31m" });
  assert.equal(view.lastAnswer(), "**a** \x1b[31m");
  view.addMarkdown("help");
  assert.equal(view.lastAnswer(), "**a** \x1b[31m");
});

Deno.test("TranscriptView shows stored messages, and goes on after them", () => {
  const messages: readonly StoredMessage[] = [
    { role: "user", content: [{ type: "text", text: "long" }], display: "/fix it" },
    {
      role: "assistant",
      text: "",
      reasoning: "Hm",
      calls: [
        { id: "a", name: "read_file", arguments: '{"path":"a.ts"}' },
        { id: "b", name: "list_files", arguments: "{}" },
        { id: "c", name: "shell", arguments: '{"command":"x"}' },
      ],
    },
    { role: "tool", callId: "a", name: "read_file", content: [], isError: false },
    { role: "tool", callId: "b", name: "list_files", content: [], isError: false },
    { role: "assistant", text: "Done", calls: [] },
    { role: "user", content: [{ type: "text", text: "s" }], summary: true },
  ];
  const { view, emit, rows } = transcriptScene();
  view.load(messages);
  emit("run_failed", { error: "No network", code: "provider_network" });
  assert.deepEqual(rows(70), [
    "› /fix it",
    "",
    "+ Thought",
    "✓ Explored — 2 reads +",
    "○ Shell x · stopped",
    "",
    "  Done",
    "  ⎘ copy · /copy",
    "",
    "· What was said before this is summarised for the model",
    "✗ No network",
    "  What helps: send the prompt again; /model chooses another model.",
  ]);
  assert.equal(view.lastAnswer(), "Done");
});

Deno.test("TranscriptView looks up long results of a stored session where they are shown", () => {
  const content = [{ type: "text", text: lines(500) }] as const;
  const block = [{ type: "ui", block: { kind: "math", latex: "x" } }] as const;
  const asked: string[] = [];
  const scene = transcriptScene({
    results: new Proxy({}, {
      get(_, id) {
        asked.push(String(id));
        return id === "d" ? block : content;
      },
    }),
  });
  const ids = ["a", "b", "c", "d"];
  scene.view.load([
    {
      role: "assistant",
      text: "",
      calls: ids.map((id) => ({
        id,
        name: id === "c" ? "webfetch" : "read_file",
        arguments: "{}",
      })),
    },
    ...ids.map((callId): StoredMessage => ({
      role: "tool",
      callId,
      name: "read_file",
      content: callId === "d" ? block : content,
      isError: false,
    })),
  ], "s1");
  assert.deepEqual([[...asked], scene.rows()], [[], [
    "✓ Read File — 2 reads +",
    "✓ Web Fetch +",
    "  line 1",
    "  line 2",
    "  line 3",
    "  … 497 more lines",
    "✓ Read File",
    "  x",
  ]]);
  assert.deepEqual(asked.toSorted(), ["c", "d"]);
  assert.equal(scene.view.toggleAt(0), true);
  assert.deepEqual(scene.rows().slice(1, 4), ["  ✓ read_file", "    line 1", "    line 2"]);
  assert.deepEqual([...new Set(asked)].toSorted(), ["a", "b", "c", "d"]);
});

Deno.test("TranscriptView keeps its margin, and gives it up where there is no room", () => {
  const { view, rows } = transcriptScene({ padding: 3 });
  view.addPrompt("hello");
  assert.deepEqual([rows(40), rows(12)], [["   › hello"], ["› hello"]]);
});

Deno.test("TranscriptView.addNotice() takes the place of what it said last about the same", () => {
  const { view, rows } = transcriptScene();
  view.addNotice("Agent: plan", "info", "agent");
  view.addNotice("Agent: build", "info", "agent");
  assert.deepEqual(rows(), ["· Agent: build"]);
  view.addNotice("Copied", "success", "key");
  view.addNotice("Agent: plan", "info", "agent");
  view.addNotice("Saved", "info");
  view.addNotice("Saved", "info");
  assert.deepEqual(rows(), [
    "· Agent: build",
    "✓ Copied",
    "· Agent: plan",
    "· Saved",
    "· Saved",
  ]);
});

Deno.test("TranscriptView stays where a person reads, and follows the end otherwise", () => {
  const { view, emit, rows } = transcriptScene();
  view.addNotice(lines(50), "info");
  assert.equal(rows(40, 10).at(-1), "  line 50");
  view.scrollBy(-15);
  assert.deepEqual([rows(40, 10)[0], view.isAtEnd], ["  line 26", false]);
  emit("text_delta", { delta: "more" });
  assert.equal(rows(40, 10)[0], "  line 26");
  assert.equal(rows(30, 12)[0], "  line 26");
  view.scrollBy(3);
  assert.equal(rows(40, 10)[0], "  line 29");
  view.scrollBy(500);
  assert.deepEqual([rows(40, 10).at(-1), view.isAtEnd], ["  more", true]);
  view.scrollToStart();
  assert.deepEqual([rows(40, 10)[0], view.isAtEnd], ["· line 1", false]);
  view.scrollBy(-5);
  assert.equal(rows(40, 10)[0], "· line 1");
  view.scrollToEnd();
  assert.equal(rows(40, 10).at(-1), "  more");
});

Deno.test("TranscriptView walks up and down through entries without losing a row", () => {
  const { view, rows } = transcriptScene();
  for (let index = 0; index < 40; index++) view.addPrompt(lines(1 + index % 4));
  const all = rows(40, 1_000);
  for (const step of [1, 3, 7]) {
    view.scrollToEnd();
    rows(40, 9);
    for (let top = all.length - 9; top > 0; top -= step) {
      assert.deepEqual(rows(40, 9), all.slice(top, top + 9));
      view.scrollBy(-step);
    }
    view.scrollToStart();
    for (let top = 0; top < all.length - 9; top += step) {
      assert.deepEqual(rows(40, 9), all.slice(top, top + 9));
      view.scrollBy(step);
    }
  }
});

Deno.test("TranscriptView.takeFinished() takes each row once, and none that may change", async () => {
  const scene = transcriptScene();
  const { view, emit } = scene;
  view.addMarkdown("**Hi**");
  view.addPrompt("Do it");
  assert.deepEqual(view.takeFinished(60), []);
  await view.loaded();
  assert.deepEqual(view.takeFinished(60), ["  Hi", "", "› Do it"]);

  const taken: string[] = [];
  const take = () => taken.push(...view.takeFinished(60).map((row) => row.trimEnd()));
  emit("run_started", { model: "m" });
  read(emit, "a");
  take();
  read(emit, "b");
  take();
  emit("tool_started", { id: "c", name: "shell", arguments: "{}", effect: "process" });
  take();
  assert.deepEqual(taken, ["", "✓ Read File — 2 reads · 40ms +"]);
  emit("tool_completed", { id: "c", name: "shell", isError: false, durationMs: 1, preview: "" });
  for (const delta of ["One.\n\n", "Two.\n\n", "Thr"]) {
    emit("text_delta", { delta });
    take();
  }
  assert.deepEqual(scene.rows().slice(-1), ["  Thr"]);
  emit("text_delta", { delta: "ee." });
  emit("run_completed", { tokens: 1, text: "One.\n\nTwo.\n\nThree." });
  take();
  assert.deepEqual(taken.slice(2), [
    "✓ Shell · 1ms",
    "",
    "  One.",
    "",
    "  Two.",
    "",
    "  Three.",
    "  ⎘ copy · /copy",
  ]);
  assert.deepEqual(scene.rows(), []);
});

Deno.test("TranscriptView keeps one timer, and only while something runs", () => {
  const scene = transcriptScene();
  scene.emit("tool_started", { id: "a", name: "shell", arguments: "{}", effect: "process" });
  scene.emit("tool_started", { id: "b", name: "shell", arguments: "{}", effect: "process" });
  scene.emit("tool_completed", {
    id: "a",
    name: "shell",
    isError: false,
    durationMs: 1,
    preview: "",
  });
  scene.emit("run_cancelled", { error: "x" });
  // A timer that is left behind fails this test.
  assert.match(scene.rows().join("\n"), /✓ Shell[^]*○ Shell · stopped[^]*Stopped/);
});

Deno.test("TranscriptView draws a frame of 5,000 messages in two milliseconds", async () => {
  const { view, emit } = transcriptScene({ look: COLOURED });
  view.load(
    Array.from(
      { length: 5_000 },
      (_, index): StoredMessage =>
        index % 2 === 0 ? { role: "user", content: [{ type: "text", text: `Do ${index}` }] } : {
          role: "assistant",
          text: `# A\n\n- **b**\n\n\`\`\`ts\nconst c = ${index};\n\`\`\``,
          calls: [],
        },
    ),
  );
  for (let round = 0; round < 3; round++) {
    view.render(120, 40);
    await view.loaded();
  }
  emit("run_started", { model: "m" });
  const times = Array.from({ length: 2_000 }, (_, index) => {
    const delta = index % 60 === 0 ? "\n\nA **paragraph** of " : "words ";
    const startedAt = performance.now();
    emit("text_delta", { delta });
    view.render(120, 40);
    return performance.now() - startedAt;
  }).toSorted((a, b) => a - b);
  const [median = 0, slow = 0] = [times[1_000], times[1_980]];
  await Deno.stderr.write(new TextEncoder().encode(
    `  delta and frame: median ${median.toFixed(2)} ms, 99% below ${slow.toFixed(2)} ms\n`,
  ));
  assert.ok(median < 2, `${median} ms`);
});

Deno.test("TranscriptView.render() shows the calls of a snippet below it, set in", () => {
  const { emit, rows } = transcriptScene();
  const calls = [
    ["c", "execute", "process", { code: "return 1;" }, {}],
    ["c/1", "read_file", "read", { path: "a.txt" }, { parentId: "c" }],
    ["c/2", "write_file", "write", { path: "b.txt" }, { parentId: "c" }],
  ] as const;
  for (const [id, name, effect, input, parent] of calls) {
    emit("tool_started", { id, name, effect, arguments: JSON.stringify(input), ...parent });
  }
  for (const [id, name, , , parent] of calls.toReversed()) {
    emit("tool_completed", { id, name, isError: false, durationMs: 5, preview: "", ...parent });
  }
  assert.deepEqual(rows().filter((row) => row !== ""), [
    "✓ Execute return 1; · 5ms",
    "  ✓ Read File a.txt · 5ms",
    "  ✓ Write File b.txt · 5ms",
  ]);
});
