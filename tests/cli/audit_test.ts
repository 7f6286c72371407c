import assert from "node:assert/strict";
import { runAudit } from "../../cli/audit.ts";
import { COMMANDS } from "../../cli/flags.ts";
import type { NewDecision } from "../../core/session/session_records.ts";
import { openSessionStore, type SessionStore } from "../../core/session/session_store.ts";
import { withTempDir } from "../support/temp.ts";
import { type CommandRun, runCommand } from "./_run_command.ts";

const AT = new Date(2025, 11, 1, 4, 5, 6).getTime();

interface Scene {
  readonly store: SessionStore;
  add(changes?: Partial<NewDecision>): void;
  run(...argv: readonly string[]): Promise<CommandRun>;
  /** Summaries of the lines that `--json` prints. */
  summaries(...argv: readonly string[]): Promise<readonly string[]>;
}

async function withAudit(fn: (scene: Scene) => Promise<void>): Promise<void> {
  await withTempDir(async (dir) => {
    const store = openSessionStore(`${dir}/state/sessions.sqlite`);
    const run = (...argv: readonly string[]) => runCommand(runAudit, dir, ["audit", ...argv]);
    try {
      await fn({
        store,
        run,
        add: (changes = {}) =>
          void store.appendDecision({
            sessionId: "3fe1a2b4-0000-4000-8000-000000000001",
            runId: "r1",
            callId: "c1",
            tool: "read_file",
            effect: "read",
            summary: "src/a.ts",
            outcome: "allowed",
            rule: "flags:read",
            reason: "reading is permitted",
            source: "policy",
            channel: "headless",
            decidedAt: AT,
            ...changes,
          }),
        summaries: async (...argv) => {
          const { out } = await run("--json", ...argv);
          return out.split("\n").filter((line) => line !== "")
            .map((line) => JSON.parse(line).summary);
        },
      });
    } finally {
      store.close();
    }
  });
}

Deno.test("runAudit() shows aligned lines, the newest last, refusals with their reason", async () => {
  await withAudit(async ({ add, run }) => {
    add();
    add({
      tool: "write_file",
      summary: "b.ts",
      outcome: "blocked",
      rule: "flags:write",
      reason: "it changes files, so it was not run; go on without it",
      source: "unavailable",
      decidedAt: AT + 1_000,
    });
    add({
      tool: "shell",
      summary: "git push",
      outcome: "granted",
      scope: "once",
      rule: "p:ask",
      source: "operator",
      channel: "terminal",
      user: "ana",
      decidedAt: AT + 2_000,
    });
    const { status, out, err } = await run();
    assert.deepEqual([status, err], [0, ""]);
    assert.equal(
      out,
      [
        "2025-12-01 04:05:06  3fe1a2b4  allowed         read_file   flags:read   policy                    src/a.ts",
        "2025-12-01 04:05:07  3fe1a2b4  blocked         write_file  flags:write  unavailable (headless)    b.ts — it changes files",
        "2025-12-01 04:05:08  3fe1a2b4  granted (once)  shell       p:ask        operator (terminal, ana)  git push",
        "",
      ].join("\n"),
    );
  });
});

Deno.test("runAudit() shows what is wrong with a call, whatever its path holds, and no advice", async () => {
  const rows = [
    ['"a.md" leads to "/x/a.md", outside the workspace; work inside it instead', "workspace"],
    ['"a, so; b" holds stored keys, which tools never open; go on', "never open"],
    ['"shell" is none of your tools, so it was not run; go on', "tools"],
    ["", ""],
  ] as const;
  await withAudit(async ({ add, run }) => {
    for (const [reason] of rows) add({ outcome: "blocked", reason, summary: "a" });
    const { out } = await run();
    assert.deepEqual(
      out.trimEnd().split("\n").map((line) => line.split(" — ")[1] ?? ""),
      rows.map(([reason, end]) => reason.slice(0, reason.indexOf(end) + end.length)),
    );
  });
});

Deno.test("runAudit() prints whole decisions as JSON lines", async () => {
  await withAudit(async ({ add, run }) => {
    add({ outcome: "granted", source: "operator", user: "ana", scope: "session" });
    const { out } = await run("--json");
    assert.deepEqual(JSON.parse(out), {
      schemaVersion: 1,
      type: "decision",
      seq: 1,
      sessionId: "3fe1a2b4-0000-4000-8000-000000000001",
      runId: "r1",
      callId: "c1",
      tool: "read_file",
      effect: "read",
      summary: "src/a.ts",
      outcome: "granted",
      rule: "flags:read",
      reason: "reading is permitted",
      source: "operator",
      channel: "headless",
      user: "ana",
      scope: "session",
      timestamp: new Date(AT).toISOString(),
    });
  });
});

Deno.test("runAudit() filters, and keeps the newest of many", async () => {
  await withAudit(async ({ store, add, summaries }) => {
    store.transaction(() => {
      for (let index = 1; index <= 1_200; index++) add({ summary: `n${index}` });
    });
    add({ summary: "other", sessionId: "9999aaaa-1", tool: "their.tool", outcome: "timed_out" });
    add({ summary: "new", sessionId: "9999bbbb-2", decidedAt: Date.now() });
    const all = await summaries("--limit", "10000");
    assert.deepEqual([all.length, all[0], all.at(-1)], [1_202, "n1", "new"]);
    assert.equal((await summaries()).length, 50);
    assert.deepEqual(await summaries("--limit=3"), ["n1200", "other", "new"]);
    assert.deepEqual(await summaries("--session", "9999"), ["other", "new"]);
    assert.deepEqual(await summaries("--session", "9999bbbb-2"), ["new"]);
    assert.deepEqual(await summaries("--tool", "their.tool"), ["other"]);
    assert.deepEqual(await summaries("--decision", "timed_out"), ["other"]);
    assert.deepEqual(await summaries("--since", "1h"), ["new"]);
    assert.deepEqual(await summaries("--session", "9999", "--decision", "allowed"), ["new"]);
  });
});

Deno.test("runAudit() says what is wrong with a value, and the nearest name", async () => {
  const rows: readonly (readonly [argv: readonly string[], message: string])[] = [
    [["--decision", "alowed"], 'Unknown decision "alowed": did you mean "allowed"?'],
    [["--decision", "timed-out"], 'Unknown decision "timed-out": did you mean "timed_out"?'],
    [
      ["--decision", "maybe"],
      'Unknown decision "maybe": it is one of allowed, requested, granted, denied, replaced, ' +
      "timed_out, blocked",
    ],
    [["--tool", "raed_file"], 'Unknown tool "raed_file": did you mean "read_file"?'],
    [["--tool", "their_tools"], 'Unknown tool "their_tools": did you mean "their.tool"?'],
    [["--since", "soon"], 'Flag "--since" needs a duration such as 90s'],
    [["--limit", "0"], 'Flag "--limit" needs a number from 1 to 10000, found "0"'],
    [["--session", "abc"], 'Flag "--session" needs an id of "alisio sessions list"'],
    [["--session", "ab%d"], 'Flag "--session" needs an id'],
    [["list"], 'Unexpected argument "list": write alisio audit'],
  ];
  await withAudit(async ({ add, run }) => {
    add({ tool: "their.tool" });
    for (const [argv, message] of rows) {
      const { status, out, err } = await run(...argv);
      assert.deepEqual([status, out], [2, ""], err);
      assert.ok(err.startsWith(message), `${err} instead of ${message}`);
    }
  });
});

Deno.test("runAudit() says so when there is nothing, or no database", async () => {
  await withAudit(async ({ add, run }) => {
    const none = {
      status: 0,
      out: "",
      err: 'No decisions yet; they begin with: alisio run "<prompt>"\n',
    };
    assert.deepEqual(await run(), none);
    assert.deepEqual(await run("--db", "missing.sqlite"), none);
    add();
    assert.deepEqual(await run("--tool", "shell"), {
      status: 0,
      out: "",
      err: "No decision is like that\n",
    });
  });
});

Deno.test("runAudit() says of a damaged database what other commands say", async () => {
  await withAudit(async ({ run, store }) => {
    store.close();
    await Deno.writeFile(store.path, new Uint8Array(8_192).fill(7));
    const { status, err } = await run();
    assert.equal(status, 1);
    assert.match(err, /^Cannot read session database ".*": the file is damaged/);
  });
});

Deno.test("runAudit() prints nothing that drives a terminal or hides", async () => {
  await withAudit(async ({ add, run }) => {
    add({ summary: "a\x1b[2J\r\n\u202eb\u200b 漢字", reason: "x\x07", outcome: "denied" });
    const { out } = await run();
    assert.ok(out.endsWith("  a\\x1b[2J\\x0d\\x0a\\u202eb\\u200b 漢字 — x\\x07\n"), out);
    const { out: json } = await run("--json");
    assert.doesNotMatch(json.slice(0, -1), /[^\x20-\x7e漢字]/);
    assert.equal(JSON.parse(json).summary, "a\x1b[2J\r\n\u202eb\u200b 漢字");
  });
});

Deno.test("The flags of one name are of one kind, whatever the command", () => {
  const kinds = new Map<string, string>();
  for (const flag of COMMANDS.flatMap(({ flags = [] }) => flags)) {
    assert.equal(kinds.get(flag.name) ?? flag.kind, flag.kind, flag.name);
    kinds.set(flag.name, flag.kind);
  }
  assert.ok(kinds.has("limit"));
});
