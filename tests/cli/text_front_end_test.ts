import assert from "node:assert/strict";
import type { KnownRunEventType, RunEvent, RunEventData } from "@alisio/sdk";
import { createJsonFrontEnd, createTextFrontEnd } from "../../cli/text_front_end.ts";

interface ScreenOptions {
  readonly isTerminal: boolean;
  readonly quiet?: boolean;
  readonly isOneOfMany?: boolean;
}

/** A screen that keeps what was printed, both outputs in their order. */
function createScreen(options: ScreenOptions) {
  const printed: string[] = [];
  const out = (text: string): void => void printed.push(text);
  const output = {
    out,
    err: out,
    drained: () => undefined,
    flush: () => Promise.resolve(),
    outIsTerminal: options.isTerminal,
    errIsTerminal: options.isTerminal,
  };
  const show = createTextFrontEnd(output, { quiet: false, ...options });
  return {
    show: <T extends KnownRunEventType>(type: T, data: RunEventData[T]) => show(event(type, data)),
    text: () => printed.join(""),
  };
}

function event<T extends KnownRunEventType>(type: T, data: RunEventData[T]): RunEvent {
  return {
    schemaVersion: 1,
    runId: "r",
    sessionId: "0123456789abcdef",
    seq: 1,
    timestamp: "2026-01-01T00:00:00.000Z",
    type,
    data,
  };
}

const started = (id: string, name: string): RunEventData["tool_started"] => ({
  id,
  name,
  arguments: "{}",
  effect: "read",
});

const completed = (id: string, name: string): RunEventData["tool_completed"] => ({
  id,
  name,
  isError: false,
  durationMs: 3,
  preview: "{}",
});

Deno.test("createTextFrontEnd() names a call that ends where calls overlap, and no other", () => {
  const screen = createScreen({ isTerminal: true });
  screen.show("tool_started", started("1", "read_file"));
  screen.show("tool_started", started("2", "list_files"));
  screen.show("tool_completed", completed("1", "read_file"));
  screen.show("tool_completed", completed("2", "list_files"));
  screen.show("tool_started", started("3", "shell"));
  screen.show("tool_completed", completed("3", "shell"));
  assert.deepEqual(screen.text().split("\n"), [
    "→ read_file {}",
    "→ list_files {}",
    "  read_file done in 3 ms",
    "  list_files done in 3 ms",
    "→ shell {}",
    "  done in 3 ms",
    "",
  ]);
});

Deno.test("createTextFrontEnd() does not call done what a person answered in its place", () => {
  const screen = createScreen({ isTerminal: true });
  const resolved = {
    name: "shell",
    effect: "process",
    source: "operator",
    channel: "terminal",
  } as const;
  for (const [id, decision] of [["1", "edit"], ["2", "once"]] as const) {
    screen.show("tool_started", started(id, "shell"));
    screen.show("approval_resolved", { id, decision, ...resolved });
    screen.show("tool_completed", completed(id, "shell"));
  }
  assert.deepEqual(screen.text().split("\n"), [
    "→ shell {}",
    "  not run, answered in its place",
    "→ shell {}",
    "  done in 3 ms",
    "",
  ]);
});

Deno.test("createTextFrontEnd() says why a call failed and what would permit a refused one", () => {
  const screen = createScreen({ isTerminal: true });
  screen.show("tool_started", started("1", "read_file"));
  screen.show("tool_completed", {
    ...completed("1", "read_file"),
    isError: true,
    preview: "Cannot read\nit",
  });
  screen.show("tool_started", started("2", "shell"));
  screen.show("tool_completed", {
    ...completed("2", "shell"),
    isError: true,
    refused: { matched: "flags:process", remedy: "run again with --allow-process" },
  });
  assert.deepEqual(screen.text().split("\n"), [
    "→ read_file {}",
    "  failed in 3 ms: Cannot read it",
    "→ shell {}",
    "  refused",
    'Refused "shell" (flags:process): to permit it, run again with --allow-process',
    "",
  ]);
});

Deno.test("createTextFrontEnd() says that a command was stopped, not what its result looks like", () => {
  const outcome = (exitCode: number | null, endedBy: string) =>
    `${JSON.stringify({ exitCode, endedBy, note: "Stopped", stdout: "" }).slice(0, 60)}…`;
  const rows = [
    [outcome(null, "cancelled"), "stopped after 3 ms"],
    [outcome(0, "cancelled"), "stopped after 3 ms"],
    [outcome(null, "timeout"), "stopped at its time limit, after 3 ms"],
    // What else a tool fails with is told as it is.
    ['Cannot read {"exitCode":null,"endedBy":"cancelled"}', null],
    ['{"endedBy":"cancelled"}', null],
  ] as const;
  for (const [preview, expected] of rows) {
    const screen = createScreen({ isTerminal: true });
    screen.show("tool_completed", { ...completed("1", "shell"), isError: true, preview });
    assert.equal(screen.text(), `  ${expected ?? `failed in 3 ms: ${preview}`}\n`);
  }
});

Deno.test("createTextFrontEnd() ends an open answer and says how to go on, at a terminal alone", () => {
  const play = (options: ScreenOptions) => {
    const screen = createScreen(options);
    screen.show("text_delta", { delta: "Done" });
    screen.show("run_completed", { tokens: 0, text: "Done" });
    return screen.text();
  };
  assert.equal(play({ isTerminal: true }), 'Done\nGo on with: alisio resume 01234567 "…"\n');
  assert.equal(play({ isTerminal: false }), "Done\n");
  assert.equal(play({ isTerminal: true, quiet: true }), "Done\n");
  assert.equal(play({ isTerminal: true, isOneOfMany: true }), "Done\n");
});

Deno.test("createTextFrontEnd() prints an answer once, whether it streamed or not", () => {
  type Play = (screen: ReturnType<typeof createScreen>) => void;
  const turn = { turn: 1, tokens: 0, calls: 0, model: "m", durationMs: 1 };
  const recovery = { attempt: 1, of: 1, reason: "stream_interrupted", maxOutputTokens: 1 } as const;
  const rows: readonly (readonly [string, Play, string])[] = [
    ["it did not stream", () => {}, "Done\n"],
    ["it streamed", (screen) => screen.show("text_delta", { delta: "Done" }), "Done\n"],
    ["it streamed in parts", (screen) => {
      screen.show("text_delta", { delta: "Do" });
      screen.show("text_delta", { delta: "ne" });
      screen.show("turn_completed", turn);
    }, "Done\n"],
    ["only an earlier turn streamed", (screen) => {
      screen.show("text_delta", { delta: "Looking" });
      screen.show("turn_completed", turn);
      screen.show("tool_started", started("1", "read_file"));
      screen.show("tool_completed", completed("1", "read_file"));
      screen.show("turn_completed", turn);
    }, "Looking\nDone\n"],
    ["only a reply that broke off streamed", (screen) => {
      screen.show("text_delta", { delta: "Half" });
      screen.show("truncation_recovery", recovery);
      screen.show("turn_completed", turn);
    }, "Half\nDone\n"],
    ["every turn streamed", (screen) => {
      screen.show("text_delta", { delta: "Looking" });
      screen.show("turn_completed", turn);
      screen.show("tool_started", started("1", "read_file"));
      screen.show("tool_completed", completed("1", "read_file"));
      screen.show("text_delta", { delta: "Done" });
      screen.show("turn_completed", turn);
    }, "Looking\nDone\n"],
  ];
  for (const [name, play, expected] of rows) {
    const screen = createScreen({ isTerminal: false, quiet: true });
    play(screen);
    screen.show("run_completed", { tokens: 0, text: "Done" });
    assert.equal(screen.text(), expected, name);
  }
});

Deno.test("createTextFrontEnd() shows control characters of an answer that did not stream", () => {
  const screen = createScreen({ isTerminal: false });
  screen.show("run_completed", { tokens: 0, text: "a\u001b[2Jb" });
  assert.ok(!screen.text().includes("\u001b"));
  assert.match(screen.text(), /^a.*b\n$/);
});

Deno.test("createTextFrontEnd() shows what turns or hides a text, and leaves emoji whole (field case 155)", () => {
  const screen = createScreen({ isTerminal: true });
  for (const delta of ["safe \u202e", "txt.exe\u2069 👩", "\u200d", "💻\u{e0041}"]) {
    screen.show("text_delta", { delta });
  }
  screen.show("tool_started", {
    ...started("1", "shell"),
    arguments: '{"command":"\u2066rm\u200b"}',
  });
  screen.show("tool_completed", {
    ...completed("1", "shell"),
    isError: true,
    preview: "no \ufeff",
  });
  screen.show("run_warning", { code: "provider", message: "a\u2028b" });
  assert.deepEqual(screen.text().split("\n"), [
    "safe \\u202etxt.exe\\u2069 👩\u200d💻\\u{e0041}",
    '→ shell {"command":"\\u2066rm\\u200b"}',
    "  failed in 3 ms: no \\ufeff",
    "Warning: a\\u2028b",
    "",
  ]);
});

Deno.test("createTextFrontEnd() prints nothing for a run that ends without an answer", () => {
  for (
    const [type, data] of [
      ["run_completed", { tokens: 0, text: "" }],
      ["run_failed", { error: "no", code: "internal" }],
      ["run_cancelled", { error: "stop" }],
    ] as const
  ) {
    const screen = createScreen({ isTerminal: false });
    screen.show(type, data);
    assert.equal(screen.text(), "", type);
  }
});

Deno.test("createJsonFrontEnd() prints one line that holds the event and no control character", () => {
  const printed: string[] = [];
  const out = (text: string): void => void printed.push(text);
  const delta = event("text_delta", { delta: "a\u009b31m\n\u202e\u{e0041}\u2028" });
  createJsonFrontEnd({
    out,
    err: out,
    drained: () => undefined,
    flush: () => Promise.resolve(),
    outIsTerminal: true,
    errIsTerminal: true,
  })(delta);
  const [line = ""] = printed;
  assert.deepEqual(JSON.parse(line), delta);
  assert.match(line, /^[\x20-\x7e]+\n$/);
});

Deno.test("createTextFrontEnd() sets in what a call made, below it", () => {
  const screen = createScreen({ isTerminal: true });
  screen.show("tool_started", started("1", "execute"));
  screen.show("tool_started", { ...started("1/1", "read_file"), parentId: "1" });
  screen.show("tool_completed", { ...completed("1/1", "read_file"), parentId: "1" });
  screen.show("tool_completed", completed("1", "execute"));
  assert.deepEqual(screen.text().split("\n"), [
    "→ execute {}",
    "  → read_file {}",
    "    read_file done in 3 ms",
    "  execute done in 3 ms",
    "",
  ]);
});
