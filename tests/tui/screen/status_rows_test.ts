import assert from "node:assert/strict";
import { fitParts } from "../../../tui/screen/fit_parts.ts";
import { formatElapsed, formatTokens } from "../../../tui/screen/format_count.ts";
import { headerRows } from "../../../tui/screen/header_rows.ts";
import { contextBar, statusBar } from "../../../tui/screen/status_bar.ts";
import type { ContextFacts, StatusFacts } from "../../../tui/screen/status_facts.ts";
import { statusRow } from "../../../tui/screen/status_row.ts";
import { createTheme } from "../../../tui/theme/create_theme.ts";

const PLAIN = createTheme({ depth: "none", unicode: true, background: "dark" });
const COLOUR = createTheme({ depth: "16", unicode: false, background: "dark" });

const FACTS: StatusFacts = {
  version: "1.2.3",
  cwd: "~/work",
  branch: "main",
  model: "qwen3",
  provider: "local",
  host: "127.0.0.1:1234",
  apiMode: "chat",
  session: "0a1b2c3d",
  mode: "auto",
  verdicts: { write: "allow", process: "ask", external: "deny" },
  agent: "build",
  context: { usedTokens: 9_900, isEstimated: false, totalTokens: 40_000, compactsAtTokens: 34_000 },
  usage: { inputTokens: 12_345, outputTokens: 678, cachedTokens: 9_000, turns: 3 },
  run: { activity: "running shell", elapsedMs: 4_000 },
  runMs: 65_000,
  plugins: ["mem 12"],
};

Deno.test("formatTokens() and formatElapsed() take few characters", () => {
  const tokens = [0, 950, 999, 9_900, 128_000, 999_600, 1_234_567];
  assert.deepEqual(tokens.map(formatTokens), ["0", "950", "999", "9.9k", "128k", "1M", "1.2M"]);
  const times = [0, 7_900, 65_000, 3_600_000, 7_380_000];
  assert.deepEqual(times.map(formatElapsed), ["0s", "7s", "1m 05s", "1h 00m", "2h 03m"]);
});

Deno.test("fitParts() leaves out the lowest priority first, and cuts what is left", () => {
  const parts = [
    { text: "one", priority: 3 },
    { text: "", priority: 9 },
    { text: "two", priority: 1 },
    { text: "three", priority: 2 },
  ];
  const widths = [17, 16, 10, 9, 3, 2, 0];
  assert.deepEqual(widths.map((width) => fitParts(parts, " · ", width)), [
    "one · two · three",
    "one · three",
    "one",
    "one",
    "one",
    "on",
    "",
  ]);
});

Deno.test("headerRows() tells what runs and what it may do, in one row where there is no room", () => {
  const rows = (columns: number, height: number) =>
    headerRows(FACTS, PLAIN, { columns, rows: height });
  assert.deepEqual(rows(100, 24), [
    "Alisio Code 1.2.3 · qwen3 · local · ~/work · ⎇ main",
    "127.0.0.1:1234 · chat · 0a1b2c3d · write:on · process:ask · external:off · mode:auto",
  ]);
  assert.deepEqual(rows(40, 24), [
    "Alisio Code 1.2.3 · qwen3 · ~/work",
    "write:on · process:ask · mode:auto",
  ]);
  assert.deepEqual(rows(20, 15), ["qwen3"]);
});

Deno.test("headerRows() tells whether MCP servers may be used, where there are any", () => {
  const second = (mcp: "on" | "off", columns = 100) =>
    headerRows({ ...FACTS, mcp }, PLAIN, { columns, rows: 24 })[1];
  assert.match(second("on") ?? "", / · external:off · mcp:on · mode:auto$/);
  assert.match(second("off") ?? "", / · external:off · mcp:off · mode:auto$/);
  assert.equal(second("on", 40), "write:on · process:ask · mode:auto");
  assert.doesNotMatch(
    headerRows({ ...FACTS, mcp: "off", mode: "read-only" }, PLAIN, { columns: 100, rows: 24 })
      .join(),
    /mcp:/,
  );
});

Deno.test("headerRows() names no effect where nothing can change", () => {
  const [, second] = headerRows({ ...FACTS, mode: "read-only" }, PLAIN, { columns: 80, rows: 24 });
  assert.equal(second, "127.0.0.1:1234 · chat · 0a1b2c3d · read-only · mode:read-only");
});

Deno.test("statusRow() drops what matters least", () => {
  assert.deepEqual([80, 40, 22, 8].map((columns) => statusRow(FACTS, PLAIN, columns)), [
    "agent: build · mode: auto · qwen3 · local",
    "agent: build · mode: auto · qwen3",
    "agent: build",
    "agent: b",
  ]);
});

Deno.test("headerRows() and statusRow() tell the reasoning effort, where there is room", () => {
  const facts = { ...FACTS, effort: "high" };
  assert.deepEqual(
    [80, 45].map((columns) => headerRows(facts, PLAIN, { columns, rows: 15 })),
    [
      ["Alisio Code 1.2.3 · qwen3 · local · effort:high · ~/work · ⎇ main"],
      ["Alisio Code 1.2.3 · qwen3 · ~/work · ⎇ main"],
    ],
  );
  assert.deepEqual([80, 41].map((columns) => statusRow(facts, PLAIN, columns)), [
    "agent: build · mode: auto · qwen3 · local · effort: high",
    "agent: build · mode: auto · qwen3 · local",
  ]);
});

Deno.test("statusBar() keeps what a run does, and then the context", () => {
  assert.deepEqual([120, 60, 40, 15].map((columns) => statusBar(FACTS, PLAIN, columns)), [
    "running shell 4s  run 1m 05s  ██░░░░░░ 9.9k / 40k (25%)  ↑12.3k ↓678  ⚡9k  3 turns  mem 12",
    "running shell 4s  ██░░░░░░ 9.9k / 40k (25%)  ↑12.3k ↓678",
    "running shell 4s",
    "running shell 4",
  ]);
});

Deno.test("statusBar() tells how to get to the end of the conversation", () => {
  const facts = { ...FACTS, endKey: "Ctrl+End" };
  assert.deepEqual([60, 40].map((columns) => statusBar(facts, PLAIN, columns)), [
    "running shell 4s  more below: Ctrl+End",
    "running shell 4s  more below: Ctrl+End",
  ]);
  assert.match(
    statusBar({ ...FACTS, endKey: "" }, PLAIN, 120),
    /^running shell 4s {2}more below {2}/,
  );
});

Deno.test("statusBar() tells silence, and that nothing runs", () => {
  const { run: _run, runMs: _runMs, context: _context, ...idle } = FACTS;
  const nothing = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, turns: 0 };
  const bar = (facts: Partial<StatusFacts>) =>
    statusBar({ ...idle, plugins: [], usage: nothing, ...facts }, PLAIN, 80);
  assert.equal(bar({}), "ready");
  assert.equal(bar({ mode: "" }), "opening");
  const silence = { ms: 61_000, isStuck: true };
  assert.equal(
    bar({ run: { activity: "thinking", elapsedMs: 62_000, silence } }),
    "thinking 1m 02s no response for 61s (stuck?)",
  );
});

Deno.test("contextBar() turns red where the conversation is made shorter", () => {
  const bar = (usedTokens: number, more: Partial<ContextFacts> = {}) =>
    contextBar(
      { usedTokens, isEstimated: false, totalTokens: 1_000, compactsAtTokens: 850, ...more },
      COLOUR,
    );
  const [green, yellow, red] = (["success", "warning", "error"] as const).map((role) =>
    COLOUR.paint(role, "#")[Symbol.iterator] && COLOUR.paint(role, "#").split("#")[0] || ""
  );
  assert.ok(bar(100).startsWith(`${green}#.......`));
  assert.ok(bar(700).startsWith(`${yellow}######..`));
  assert.ok(bar(850).startsWith(`${red}#######.`));
  assert.ok(bar(5_000).startsWith(`${red}########`));
  const unknown = contextBar(
    { usedTokens: 9_900, isEstimated: true, totalTokens: null, compactsAtTokens: 1 },
    PLAIN,
  );
  assert.equal(unknown, "~9.9k / ?");
});
