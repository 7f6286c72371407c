import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { AlisioError, type AlisioErrorCode } from "../../../core/errors.ts";
import type { StoreNotice } from "../../../core/session/open_database.ts";
import { openSessionStore, type SessionStore } from "../../../core/session/session_store.ts";
import type {
  StoredAssistantMessage,
  StoredToolMessage,
  StoredUserMessage,
} from "../../../core/session/stored_message.ts";
import { DENO, ROOT } from "../../support/paths.ts";
import { withTempDir } from "../../support/temp.ts";

/** A time for rows whose time does not matter. */
export const AT = 1_767_225_600_000;

/** Opens a store in a new folder and closes it afterwards. */
export async function withStore<T>(
  fn: (store: SessionStore, folder: string, notices: StoreNotice[]) => Promise<T> | T,
): Promise<T> {
  return await withTempDir(async (folder) => {
    const notices: StoreNotice[] = [];
    const onNotice = (notice: StoreNotice) => void notices.push(notice);
    const store = openSessionStore(join(folder, "sessions.sqlite"), { onNotice });
    try {
      return await fn(store, folder, notices);
    } finally {
      store.close();
    }
  });
}

/** Starts a session. */
export function newSession(store: SessionStore, id = "s1"): void {
  store.createSession({ id, workspace: "/work", model: "m", provider: "p", createdAt: AT });
}

/** A message of the person. */
export function user(text: string): StoredUserMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

/** A message of the model with calls of these ids. */
export function assistant(text: string, ...ids: readonly string[]): StoredAssistantMessage {
  const calls = ids.map((id) => ({ id, name: "tool", arguments: "{}" }));
  return { role: "assistant", text, calls };
}

/** The result of a call. */
export function result(callId: string, text: string, isError = false): StoredToolMessage {
  return { role: "tool", callId, name: "tool", content: [{ type: "text", text }], isError };
}

/** Asserts that `fn` throws an error for people, and returns it. */
export function assertFails(code: AlisioErrorCode, fn: () => unknown): AlisioError {
  try {
    fn();
  } catch (error) {
    assert.ok(error instanceof AlisioError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, /^[A-Z].*[^.]$/);
    return error;
  }
  assert.fail(`Nothing was thrown instead of "${code}"`);
}

/** Runs SQL on a database file behind the store's back. */
export function runSql(path: string, sql: string): void {
  const connection = new DatabaseSync(path);
  try {
    connection.exec(sql);
  } finally {
    connection.close();
  }
}

/** A started `_child.ts`. */
export interface Child {
  readonly pid: number;
  /** The next line that it prints. */
  line(): Promise<string>;
  /** Ends it as nothing can prevent, and waits until it is gone. */
  kill(): Promise<void>;
  /** Waits for its end. */
  end(): Promise<{ readonly code: number; readonly rest: string }>;
}

/**
 * Starts `_child.ts`.
 *
 * @param args The scenario and what it needs.
 * @param wrapper Starts it with this program instead, which is given the command.
 */
export function startChild(
  args: readonly string[],
  wrapper: readonly string[] = [],
): Child {
  const script = join(ROOT, "tests", "core", "session", "_child.ts");
  const [program = DENO, ...rest] = [
    ...wrapper,
    DENO,
    "run",
    "-A",
    "--no-check",
    "--quiet",
    script,
    ...args,
  ];
  const child = new Deno.Command(program, { args: rest, stdin: "null", stdout: "piped" }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  const line = async () => {
    for (;;) {
      const end = buffer.indexOf("\n");
      if (end >= 0) {
        const text = buffer.slice(0, end);
        buffer = buffer.slice(end + 1);
        return text;
      }
      const { done, value } = await reader.read();
      if (done) throw new Error(`The child ended after "${buffer}"`);
      buffer += value;
    }
  };
  const end = async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      buffer += value;
    }
    const { code } = await child.status;
    return { code, rest: buffer };
  };
  const kill = async () => {
    child.kill("SIGKILL");
    await end();
  };
  return { pid: child.pid, line, kill, end };
}
