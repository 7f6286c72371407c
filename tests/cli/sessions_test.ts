import assert from "node:assert/strict";
import { join } from "node:path";
import type { CommandContext } from "../../cli/command_context.ts";
import { exitStatusOf } from "../../cli/exit_status.ts";
import { parseCommandLine } from "../../cli/parse_command_line.ts";
import { runSessions } from "../../cli/sessions.ts";
import { errorMessage } from "../../core/errors.ts";
import { sha256Hex } from "../../core/files/sha256.ts";
import { acquireLease } from "../../core/session/lease.ts";
import { UNCERTAIN_TEXT } from "../../core/session/repair_history.ts";
import { processStart } from "../../core/process/process_start.ts";
import { TaskStore } from "../../core/tasks/task_store.ts";
import { openSessionStore, type SessionStore } from "../../core/session/session_store.ts";
import { DENO, ROOT } from "../support/paths.ts";
import { withTempDir } from "../support/temp.ts";

const FIRST = "aaaa1111-0000-4000-8000-000000000001";
const SECOND = "aaaa2222-0000-4000-8000-000000000002";
const AT = 1_767_225_600_000;

interface CommandRun {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

interface Scene {
  readonly dir: string;
  readonly store: SessionStore;
  /** Runs `alisio sessions …`, with the status and the message that the program would end with. */
  run(...argv: readonly string[]): Promise<CommandRun>;
}

Deno.test({
  name: "runSessions() delete ends what still runs of a task whose owner died",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await withScene(async ({ store, run }) => {
      const child = new Deno.Command("sleep", { args: ["60"], detached: true }).spawn();
      try {
        const records = new TaskStore(store.database);
        const task = {
          ...{ id: "t", sessionId: FIRST, rootSessionId: FIRST, workspace: "/w", label: "l" },
          ...{ command: "c", cwd: "/w", ownerPid: 1, ownerToken: "gone", timeoutMs: 1 },
          ...{ logPath: "x", createdAt: 1 },
        };
        records.create(task, 1);
        records.start("t", child.pid, 2);
        records.identify("t", await processStart(child.pid) ?? "");
        assert.equal((await run("delete", FIRST, "--yes")).status, 0);
        assert.equal((await child.status).signal, "SIGKILL");
      } finally {
        killIfRunning(child);
      }
    });
  },
});

Deno.test("runSessions() refuses a flag of another action and does nothing", async () => {
  await withScene(async ({ store, run }) => {
    const lines = [
      ["delete", FIRST, "--yes", "--dry-run"],
      ["fork", FIRST, "--dry-run"],
      ["fork", FIRST, "--files"],
      ["compact", FIRST, "--dry-run"],
      ["recover", FIRST, "--acknowledge", "--dry-run"],
      ["export", FIRST, "--limit", "1"],
      ["show", FIRST, "--output", "x"],
      ["list", "--undo"],
    ];
    for (const line of lines) {
      const { status, err } = await run(...line);
      assert.equal(status, 2, line.join(" "));
      assert.match(err, /^Cannot use "--[a-z-]+" with alisio sessions [a-z]+: it belongs to /);
    }
    assert.deepEqual(store.listSessions({ limit: 9 }).map(({ id }) => id).sort(), [FIRST, SECOND]);
  });
});

Deno.test("runSessions() list shows the last used first", async () => {
  await withScene(async ({ store, run }) => {
    store.appendMessage(SECOND, text("user", "Second\n prompt"), AT + 60_000);
    const { status, out, err } = await run("list");
    assert.equal(status, 0);
    assert.equal(err, "");
    const [second = "", first = "", end] = out.split("\n");
    assert.match(
      second,
      /^aaaa2222 {2}Second prompt {2}\[20\d\d-\d\d-\d\d \d\d:\d\d, 1 message, m\]$/,
    );
    assert.match(first, /^aaaa1111 {2}Fix the total {2}\[.*, 1 message, m\]$/);
    assert.equal(end, "");
    assert.equal((await run("list", "--limit", "1")).out, `${second}\n`);
  });
});

Deno.test("runSessions() list prints JSON lines", async () => {
  await withScene(async ({ dir, run }) => {
    const { out } = await run("list", "--json", "--limit=1");
    assert.deepEqual(JSON.parse(out), {
      schemaVersion: 1,
      type: "session",
      id: FIRST,
      workspace: dir,
      model: "m",
      provider: "p",
      title: "Fix the total",
      createdAt: AT,
      lastActivityAt: AT,
      messages: 1,
      state: "idle",
    });
  });
});

Deno.test("runSessions() list says what a session is doing", async () => {
  await withScene(async ({ store, run }) => {
    const lease = await acquireLease(store, FIRST);
    beginWrite(store, SECOND, "c1", {});
    const { out } = await run("list");
    lease.release();
    assert.match(out, /^aaaa1111 .*, running\]$/m);
    assert.match(out, /^aaaa2222 .*, needs recovery\]$/m);
    assert.match((await run("list")).out, /^aaaa1111 .*, m\]$/m);
  });
});

Deno.test("runSessions() list without a database lists nothing and creates nothing", async () => {
  await withTempDir(async (dir) => {
    const { status, out, err } = await run(dir, ["list", "--db", "none.sqlite"]);
    assert.deepEqual({ status, out }, { status: 0, out: "" });
    assert.match(err, /^No sessions yet/);
    assert.deepEqual(await Array.fromAsync(Deno.readDir(dir)), []);
  });
});

Deno.test("runSessions() uses the state folder unless a database is named", async () => {
  await withTempDir(async (dir) => {
    const state = join(dir, "state");
    const store = openSessionStore(join(state, "sessions.sqlite"));
    createSession(store, FIRST, dir);
    store.close();
    assert.match((await run(dir, ["list"], { ALISIO_STATE_HOME: state })).out, /^aaaa1111/);
  });
});

Deno.test("runSessions() never lets stored text drive the terminal (field case 155)", async () => {
  await withScene(async ({ store, run }) => {
    const evil = "\x1b]0;title\x07\x1b[2J\x9b31m\u0000\x7f red \u{1f642} é";
    store.appendMessage(SECOND, text("user", evil), AT + 60_000);
    store.appendMessage(SECOND, {
      role: "assistant",
      text: evil,
      calls: [{ id: "c1", name: `shell${evil}`, arguments: evil }],
    }, AT + 60_000);
    store.appendMessage(SECOND, {
      role: "tool",
      callId: "c1",
      name: evil,
      content: [{ type: "text", text: evil }],
      isError: true,
    }, AT + 60_000);
    beginWrite(store, SECOND, "c2", { path: `${evil}.txt`, content: evil });
    for (
      const argv of [
        ["list"],
        ["show", SECOND],
        ["recover", SECOND],
        ["list", "--json"],
        ["show", SECOND, "--json"],
        ["export", SECOND],
        ["recover", SECOND, "--json"],
      ]
    ) {
      const { out, err } = await run(...argv);
      // deno-lint-ignore no-control-regex -- what must not be there
      assert.doesNotMatch(out + err, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/, argv.join(" "));
      assert.ok(out.includes("\u{1f642} é"), argv.join(" "));
    }
    assert.match((await run("list")).out, /\\x1b\]0;title\\x07\\x1b\[2J\\u009b31m/);
    const [line = ""] = (await run("export", SECOND)).out.split("\n");
    assert.equal(JSON.parse(line).message.content[0].text, evil);
  });
});

Deno.test("runSessions() show prints a session by the beginning of its id", async () => {
  await withScene(async ({ dir, store, run }) => {
    store.appendMessage(FIRST, {
      role: "assistant",
      text: "I will look",
      calls: [{ id: "c1", name: "read_file", arguments: '{"path":"a.ts"}' }],
    }, AT);
    store.appendMessage(FIRST, {
      role: "tool",
      callId: "c1",
      name: "read_file",
      content: [{ type: "text", text: "x".repeat(1_500) }],
      isError: false,
    }, AT);
    const { status, out } = await run("show", "aaaa1");
    assert.equal(status, 0);
    assert.equal(
      out,
      `Session ${FIRST}\nWorkspace ${dir}\nModel m (p)\nStarted 2026-01-01T00:00:00.000Z\n` +
        "\n[user] (message 1)\nFix the total\n" +
        '\n[assistant]\nI will look\n→ read_file {"path":"a.ts"}\n' +
        `\n[result of read_file]\n${"x".repeat(1_000)} … (500 more characters)\n`,
    );
    const lines = (await run("show", FIRST, "--json")).out.trim().split("\n").map((line) =>
      JSON.parse(line)
    );
    assert.deepEqual(lines.map(({ type, seq }) => [type, seq]), [
      ["session", undefined],
      ["message", 1],
      ["message", 2],
      ["message", 3],
    ]);
  });
});

Deno.test("runSessions() refuses a wrong command line", async () => {
  await withScene(async ({ dir, run }) => {
    const rows: readonly (readonly [readonly string[], RegExp])[] = [
      [[], /^Action is missing: write alisio sessions list \|/],
      [["lst"], /^Unknown action "lst": did you mean "list"\?$/],
      [["frobnicate"], /^Unknown action "frobnicate": write alisio/],
      [["list", "more"], /^Unexpected argument "more"/],
      [["show"], /^Session is missing: write alisio sessions show <id>$/],
      [["show", FIRST, "more"], /^Unexpected argument "more": write alisio sessions show <id>$/],
      [["compact"], /^Session is missing: write alisio sessions compact <id>$/],
      [["list", "--limit", "0"], /^Flag "--limit" needs a number from 1 to 10000, found "0"$/],
      [["list", "--limit", "1e3"], /found "1e3"$/],
      [["show", "aaaa"], /^Cannot tell which session "aaaa" is: .*aaaa[12]{4}-.*, aaaa[12]{4}-/],
      [["show", "aaa"], /^Cannot find session "aaa": give an id/],
      [["show", "ffffffff"], /^Cannot find session "ffffffff"/],
      [["delete", FIRST], /no terminal; add --yes to delete it without asking$/],
      [
        ["export", FIRST, "--output", "exists.jsonl"],
        /exists\.jsonl": it exists; choose a new name$/,
      ],
      [["export", FIRST, "--output", "no/folder.jsonl"], /^Cannot create export /],
    ];
    await Deno.writeTextFile(join(dir, "exists.jsonl"), "mine");
    for (const [argv, message] of rows) {
      const { status, out, err } = await run(...argv);
      assert.match(err, message);
      assert.deepEqual({ status, out }, { status: 2, out: "" }, argv.join(" "));
    }
    assert.equal(await Deno.readTextFile(join(dir, "exists.jsonl")), "mine");
  });
});

Deno.test("runSessions() export writes JSON lines without secrets (field case 117)", async () => {
  await withScene(async ({ dir, store, run }) => {
    const secrets = ["env-secret-value", "file-secret-value", "sk-proj-AbCdEf0123456789AbCdEf01"];
    const credentials = { profiles: { home: { apiKey: secrets[1] } } };
    const session = (token: string) => ({
      id: "ordinary-value",
      provider: "ordinary-value",
      credential: { type: "oauth", access: token },
    });
    const files = [["config/credentials.json", "old-token-value"], [
      "state/sign-in/renewed.json",
      "new-token-value",
    ]];
    for (const [file = "", token = ""] of files) {
      const path = join(dir, file);
      await Deno.mkdir(join(path, ".."), { recursive: true });
      const content = file.startsWith("config") ? credentials : {};
      const sessions = { home: session(token) };
      await Deno.writeTextFile(path, JSON.stringify({ ...content, sessions }));
      secrets.push(token);
    }
    store.appendMessage(FIRST, text("assistant", secrets.join(" ")), AT);
    store.appendMessage(FIRST, text("user", "ordinary-value"), AT);
    const printed = await run("export", "aaaa1111");
    const written = await run("export", FIRST, "--output", "export.jsonl");
    assert.deepEqual([printed.status, written.status, written.out], [0, 0, ""]);
    assert.match(written.err, /^Session aaaa1111-.* was exported to "export\.jsonl"$/m);
    const path = join(dir, "export.jsonl");
    assert.equal(await Deno.readTextFile(path), printed.out);
    if (Deno.build.os !== "windows") {
      assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    }
    const texts = printed.out.trim().split("\n").map((line) => JSON.parse(line).message);
    assert.deepEqual(texts.slice(1), [
      text("assistant", secrets.map(() => "[redacted]").join(" ")),
      text("user", "ordinary-value"),
    ]);
  });
});

Deno.test("runSessions() delete removes a session for good", async () => {
  await withScene(async ({ store, run }) => {
    const lease = await acquireLease(store, FIRST);
    const refused = await run("delete", FIRST, "--yes");
    assert.equal(refused.status, 1);
    assert.match(refused.err, /it is in use/);
    lease.release();
    const { status, err } = await run("delete", "aaaa1111", "--yes");
    const said =
      `Session ${FIRST} was deleted; what was decided about its calls stays in "alisio audit"`;
    assert.deepEqual({ status, err }, { status: 0, err: `${said}\n` });
    assert.deepEqual(store.listSessions({ limit: 9 }).map(({ id }) => id), [SECOND]);
    assert.equal((await run("delete", FIRST, "--yes")).status, 2);
    const second = await run("delete", SECOND, "--yes", "--json");
    assert.deepEqual({ ...second, out: JSON.parse(second.out) }, {
      status: 0,
      err: "",
      out: { schemaVersion: 1, type: "session_deleted", id: SECOND },
    });
  });
});

Deno.test({
  name: "runSessions() delete asks at a terminal",
  ignore: !await hasScript(),
  fn: async (t) => {
    const rows = [
      { answer: "n\n", status: 0, shown: /Nothing was deleted/, left: 2 },
      { answer: "\n", status: 0, shown: /Nothing was deleted/, left: 2 },
      { answer: "\x03", status: 130, shown: /Stopped by SIGINT/, left: 2 },
      { answer: "yes\n", status: 0, shown: /was deleted/, left: 1 },
    ];
    for (const { answer, status, shown, left } of rows) {
      await t.step(JSON.stringify(answer), () =>
        withScene(async ({ dir, store }) => {
          const command = [DENO, "run", "-A", "--no-check", join(ROOT, "cli.ts")];
          const argv = ["sessions", "delete", FIRST, "--db", store.path];
          const end = await answerAtTerminal([...command, ...argv], dir, answer);
          assert.match(end.shown, shown);
          assert.equal(end.status, status);
          assert.equal(store.listSessions({ limit: 9 }).length, left);
        }));
    }
  },
});

Deno.test("runSessions() recover shows first and changes nothing (field case 141)", async () => {
  await withScene(async ({ dir, store, run }) => {
    await Deno.writeTextFile(join(dir, "done.txt"), "new");
    const hash = await sha256Hex(new TextEncoder().encode("old"));
    beginWrite(store, FIRST, "c1", { path: "done.txt", content: "new", expectedHash: hash });
    store.beginCall({
      sessionId: FIRST,
      callId: "c2",
      runId: "r1",
      name: "shell",
      effect: "process",
      arguments: '{"command":"make deploy"}',
      startedAt: AT,
    });
    const { status, out, err } = await run("recover", "aaaa1111");
    assert.equal(status, 4);
    assert.equal(
      out,
      'write_file (write, began 2026-01-01T00:00:00.000Z): {"path":"done.txt","content":"new",' +
        `"expectedHash":"${hash}"}\n` +
        '  File "done.txt" is as the call leaves it: the write happened\n' +
        'shell (process, began 2026-01-01T00:00:00.000Z): {"command":"make deploy"}\n' +
        "  It may or may not have happened, wholly or in part\n",
    );
    assert.match(err, new RegExp(`^Nothing was changed\\..* ${FIRST} --acknowledge$`, "m"));
    assert.equal(store.uncertainCalls(FIRST).length, 2);
    const lines = (await run("recover", FIRST, "--json")).out.trim().split("\n").map((line) =>
      JSON.parse(line)
    );
    assert.deepEqual(lines.map(({ callId, finding }) => [callId, finding?.status]), [
      ["c1", "happened"],
      ["c2", undefined],
    ]);
  });
});

Deno.test("runSessions() recover --acknowledge makes uncertainty the result", async () => {
  await withScene(async ({ store, run }) => {
    const calls = [{ id: "c1", name: "write_file", arguments: "{}" }];
    store.appendMessage(FIRST, { role: "assistant", text: "", calls }, AT);
    beginWrite(store, FIRST, "c1", { path: "a.txt", content: "x", expectedHash: null });
    const { status, err } = await run("recover", FIRST, "--acknowledge");
    assert.equal(status, 0);
    assert.match(err, /^Accepted that the outcome of 1 interrupted call is not known; go on with:/);
    assert.deepEqual(store.loadMessages(FIRST).at(-1), {
      role: "tool",
      callId: "c1",
      name: "write_file",
      content: [{
        type: "text",
        text: `${UNCERTAIN_TEXT}. File "a.txt" is as it was: the write did not happen`,
      }],
      isError: true,
    });
    assert.equal(store.session(FIRST)?.owner, undefined);
    const again = await run("recover", FIRST, "--acknowledge");
    assert.equal(again.status, 0);
    assert.match(again.err, /needs no recovery/);
    assert.match((await run("recover", FIRST)).err, /needs no recovery/);
  });
});

Deno.test("runSessions() recover leaves a session alone that is in use", async () => {
  await withScene(async ({ store, run }) => {
    beginWrite(store, FIRST, "c1", {});
    const lease = await acquireLease(store, FIRST);
    for (const flags of [[], ["--acknowledge"]]) {
      const { status, err } = await run("recover", FIRST, ...flags);
      assert.equal(status, 1);
      assert.match(err, /in use/);
    }
    lease.release();
    assert.equal(store.uncertainCalls(FIRST).length, 1);
  });
});

Deno.test("runSessions() reports a damaged database and touches nothing (field case 147)", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "sessions.sqlite");
    await Deno.writeTextFile(path, "not a database\n".repeat(100));
    for (const argv of [["list"], ["show", FIRST], ["export", FIRST]]) {
      const { status, out, err } = await run(dir, [...argv, "--db", path]);
      assert.deepEqual({ status, out }, { status: 1, out: "" });
      assert.ok(err.includes(path), err);
      assert.match(err, /another kind of file, or damaged .*was left as it is/);
    }
    const names = (await Array.fromAsync(Deno.readDir(dir))).map((entry) => entry.name);
    assert.deepEqual(names, ["sessions.sqlite"]);
  });
});

async function withScene(fn: (scene: Scene) => Promise<void>): Promise<void> {
  await withTempDir(async (dir) => {
    const path = join(dir, "state", "sessions.sqlite");
    const store = openSessionStore(path);
    createSession(store, SECOND, dir);
    createSession(store, FIRST, dir);
    store.appendMessage(FIRST, text("user", "Fix the total"), AT);
    const env = {
      ALISIO_CONFIG_HOME: join(dir, "config"),
      ALISIO_STATE_HOME: join(dir, "state"),
      MY_API_KEY: "env-secret-value",
    };
    try {
      await fn({ dir, store, run: (...argv) => run(dir, [...argv, "--db", path], env) });
    } finally {
      store.close();
    }
  });
}

async function hasScript(): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  const command = new Deno.Command("script", { args: ["--version"], stdout: "null" });
  return await command.output().then(({ success }) => success, () => false);
}

/** Runs a command in a terminal, waits for its question and answers it. */
async function answerAtTerminal(
  command: readonly string[],
  cwd: string,
  answer: string,
): Promise<{ readonly status: number; readonly shown: string }> {
  const quoted = command.map((word) => `'${word}'`).join(" ");
  const child = new Deno.Command("script", {
    args: ["-qec", quoted, "/dev/null"],
    cwd,
    env: { SHELL: "/bin/sh" },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  let shown = "";
  let isAnswered = false;
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    shown += text;
    if (isAnswered || !shown.includes("[y/N] ")) continue;
    isAnswered = true;
    await writer.write(new TextEncoder().encode(answer));
  }
  await writer.close().catch(() => {});
  return { status: (await child.status).code, shown };
}

function createSession(store: SessionStore, id: string, workspace: string): void {
  store.createSession({ id, workspace, model: "m", provider: "p", createdAt: AT });
}

function text(
  role: "user" | "assistant",
  words: string,
): Parameters<SessionStore["appendMessage"]>[1] {
  return role === "assistant"
    ? { role, text: words, calls: [] }
    : { role, content: [{ type: "text", text: words }] };
}

function beginWrite(
  store: SessionStore,
  sessionId: string,
  callId: string,
  input: Readonly<Record<string, unknown>>,
): void {
  const names = { sessionId, callId, runId: "r1", name: "write_file", effect: "write" } as const;
  store.beginCall({ ...names, arguments: JSON.stringify(input), startedAt: AT });
}

async function run(
  cwd: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = { HOME: cwd },
): Promise<CommandRun> {
  let out = "";
  let err = "";
  const write = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
  };
  const { args, flags, commandFlags } = parseCommandLine(["sessions", ...argv]);
  const output = {
    ...write,
    drained: () => undefined,
    flush: () => Promise.resolve(),
    outIsTerminal: false,
    errIsTerminal: false,
  };
  const { signal } = new AbortController();
  const context: CommandContext = {
    lendTerminal: (use) => use(),
    args,
    flags,
    commandFlags,
    env,
    cwd,
    output,
    signal,
    ...write,
  };
  try {
    return { status: await runSessions(context), out, err };
  } catch (error) {
    return { status: exitStatusOf(error), out, err: err + errorMessage(error) };
  }
}

function killIfRunning(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has ended.
  }
}
