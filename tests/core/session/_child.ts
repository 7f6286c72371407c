/** Scenarios that tests run in a process of its own, to end it at any point. */
import { DatabaseSync } from "node:sqlite";
import { AlisioError, errorMessage } from "../../../core/errors.ts";
import { acquireLease } from "../../../core/session/lease.ts";
import { tryLockFile } from "../../../core/session/lock_file.ts";
import { openDatabase } from "../../../core/session/open_database.ts";
import { openSessionStore, type SessionStore } from "../../../core/session/session_store.ts";
import { assistant, AT, newSession, result, user } from "./_support.ts";

const [scenario = "", path = "", ...rest] = Deno.args;

switch (scenario) {
  case "crash":
    await crash(openSessionStore(path), rest[0] ?? "");
    break;
  case "lease":
    await holdLease(openSessionStore(path), rest[0] === "with-child");
    break;
  case "lock":
    openDatabase(path).transaction(() => {
      say("ready");
      Deno.readTextFileSync(rest[0] ?? "");
    });
    break;
  case "share":
    await shareLock();
    break;
  case "contend":
    contend(rest[0] ?? "", Number(rest[1]));
    break;
  case "journal":
    journal(openSessionStore(path), rest[0] === "write" ? "write" : "read");
    break;
  case "create":
    createSessions(Number(rest[0]));
    break;
  case "full":
    fillDisk(rest[0] ?? "");
    break;
  case "limit":
    exceedLimit();
    break;
  case "read-only":
    say(JSON.stringify(readOnly()));
    break;
  default:
    throw new TypeError(`Unknown scenario "${scenario}"`);
}

function say(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

/** Does what a turn does, up to a point, and waits there to be killed. */
async function crash(store: SessionStore, point: string): Promise<void> {
  newSession(store);
  await acquireLease(store, "s1");
  store.beginRun({ id: "r1", sessionId: "s1", model: "m", startedAt: AT, ownerPid: Deno.pid });
  store.appendMessage("s1", user("Go"), AT);
  store.appendMessage("s1", assistant("", "c1", "c2", "c3"), AT);
  const call = { sessionId: "s1", runId: "r1", name: "tool", arguments: "{}", startedAt: AT };
  const steps: readonly (readonly [string, () => void])[] = [
    ["after the assistant message", () => {}],
    ["during a read", () => store.beginCall({ ...call, callId: "c1", effect: "read" })],
    ["after a result in the journal", () => {
      const { content, isError } = result("c1", "one");
      store.endCall({ sessionId: "s1", callId: "c1", content, isError, endedAt: AT });
    }],
    ["after one of three results", () => void store.appendMessage("s1", result("c1", "one"), AT)],
    ["during a write", () => store.beginCall({ ...call, callId: "c2", effect: "write" })],
    ["inside a transaction", () =>
      store.transaction(() => {
        store.appendMessage("s1", result("c2", "two"), AT);
        say("inside a transaction");
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      })],
  ];
  for (const [name, step] of steps) {
    step();
    if (name === point) break;
  }
  say(point);
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}

async function holdLease(store: SessionStore, withChild: boolean): Promise<void> {
  if (store.session("s1") === undefined) newSession(store);
  await acquireLease(store, "s1");
  if (withChild) {
    const child = new Deno.Command("sleep", { args: ["60"], stdout: "null" }).spawn();
    say(String(child.pid));
  } else say("held");
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}

/** Reads for a while in a database that has no write-ahead log yet. */
async function shareLock(): Promise<void> {
  const connection = new DatabaseSync(path);
  connection.exec("BEGIN");
  connection.prepare("SELECT * FROM sessions").all();
  say("ready");
  await new Promise((resolve) => setTimeout(resolve, 200));
  connection.close();
}

/** Takes and gives up a lock many times; fails when somebody else holds it at the same time. */
function contend(marker: string, count: number): void {
  for (let taken = 0; taken < count;) {
    const lock = tryLockFile(path);
    if (lock === null) continue;
    taken++;
    Deno.openSync(marker, { createNew: true, write: true }).close();
    Deno.removeSync(marker);
    lock.release();
  }
}

/** Records one call. */
function journal(store: SessionStore, effect: "read" | "write"): void {
  newSession(store);
  store.appendMessage("s1", user("Go"), AT);
  say("marker");
  const call = { sessionId: "s1", callId: "c1", runId: "r1", name: "tool", arguments: "{}" };
  store.transaction(() => store.beginCall({ ...call, effect, startedAt: AT }));
  say("marker");
  Deno.exit(0);
}

/** Opens the database while others do the same, and stores in it. */
function createSessions(count: number): void {
  const store = openSessionStore(path);
  for (let i = 0; i < count; i++) {
    const id = crypto.randomUUID();
    newSession(store, id);
    store.appendMessage(id, user("Hi"), AT);
  }
  store.close();
}

/** Fills the disk in the middle of a turn, frees it, and goes on with the same store. */
function fillDisk(folder: string): void {
  const store = openSessionStore(path);
  newSession(store);
  store.appendMessage("s1", user("Before"), AT);
  fill(`${folder}/filler`);
  const attempts = {
    message: codeOf(() => store.appendMessage("s1", user("x".repeat(200_000)), AT)),
    call: codeOf(() => {
      for (let i = 0; i < 200; i++) begin(store, `c${i}`, "x".repeat(20_000));
    }),
    transaction: codeOf(() =>
      store.transaction(() => {
        store.appendMessage("s1", user("Half"), AT);
        store.appendMessage("s1", user("x".repeat(200_000)), AT);
      })
    ),
  };
  const texts = store.loadMessages("s1").length;
  const pending = store.pendingCalls("s1").length;
  Deno.removeSync(`${folder}/filler`);
  store.appendMessage("s1", user("After"), AT);
  begin(store, "after", "{}");
  say(JSON.stringify({ attempts, texts, pending, after: store.loadMessages("s1").length }));
  store.close();
}

function begin(store: SessionStore, callId: string, args: string): void {
  const names = { sessionId: "s1", runId: "r1", name: "write_file", effect: "write" } as const;
  store.beginCall({ ...names, callId, arguments: args, startedAt: AT });
}

function fill(file: string): void {
  for (const bytes of [new Uint8Array(65_536), new Uint8Array(512)]) {
    try {
      for (;;) Deno.writeFileSync(file, bytes, { append: true });
    } catch {
      // Full.
    }
  }
}

/** Meets a limit on the size of files, set by whoever started this. */
function exceedLimit(): void {
  const store = openSessionStore(path);
  newSession(store);
  const code = codeOf(() => {
    for (let i = 0; i < 1_000; i++) store.appendMessage("s1", user("x".repeat(20_000)), AT);
  });
  say(JSON.stringify({ code, isReadable: store.loadMessages("s1").length > 0 }));
}

/** Opens the database in both ways. */
function readOnly(): unknown {
  const write = codeOf(() => openSessionStore(path).close());
  const store = openSessionStore(path, { mode: "read" });
  const titles = store.listSessions({ limit: 5 }).map((session) => session.title);
  const messages = store.loadMessages("s1").length;
  const append = codeOf(() => store.appendMessage("s1", user("No"), AT));
  store.close();
  return { write, titles, messages, append };
}

function codeOf(fn: () => unknown): string {
  try {
    fn();
    return "none";
  } catch (error) {
    return error instanceof AlisioError ? error.code : errorMessage(error);
  }
}
