import { nearestName } from "../core/config/nearest_name.ts";
import { AlisioError } from "../core/errors.ts";
import { visibleName } from "../core/process/visible_text.ts";
import { resolveSession } from "../core/session/resolve_session.ts";
import type { SessionSummary } from "../core/session/session_records.ts";
import type { SessionStore } from "../core/session/session_store.ts";
import { reapLost } from "../core/tasks/reap_lost.ts";
import { TaskStore } from "../core/tasks/task_store.ts";
import type { CommandContext } from "./command_context.ts";
import { confirmAtTerminal } from "./confirm.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { formatTime } from "../core/text/format_time.ts";
import { jsonLine } from "./json_line.ts";
import { parseLimit } from "./parse_limit.ts";
import { exportToOutput } from "./sessions_export.ts";
import { recoverCalls } from "./sessions_recover.ts";
import { showSession } from "./sessions_show.ts";
import { untilDrained } from "./until_drained.ts";
import { withStore } from "./with_store.ts";

const ACTIONS = [
  "list",
  "show",
  "export",
  "delete",
  "recover",
  "compact",
  "rewind",
  "fork",
] as const;

/** The flags that each action has a use for. */
const FLAGS_OF_ACTIONS: Readonly<Record<(typeof ACTIONS)[number], readonly string[]>> = {
  list: ["limit"],
  show: [],
  export: ["output"],
  delete: ["yes"],
  recover: ["acknowledge"],
  compact: [],
  rewind: ["files", "dry-run", "undo", "yes"],
  fork: [],
};
const DEFAULT_LIMIT = 20;

/** Long enough that two sessions hardly ever share it. */
const MIN_SHOWN_ID_CHARS = 8;

/**
 * `alisio sessions`: looks after stored sessions.
 *
 * @param context What the command was called with.
 * @returns The exit status.
 * @throws {AlisioError} If the command line is wrong, the session is not found or the database is
 * not usable.
 */
export async function runSessions(context: CommandContext): Promise<number> {
  const [action, id, ...rest] = context.args;
  if (action === undefined || !isAction(action)) throw unknownAction(action);
  assertFlagsOf(action, context);
  if (action === "list") {
    assertNothingAfter([id, ...rest], "list");
    return await withStore(context, "read", (store) => listSessions(context, store));
  }
  if (id === undefined) {
    throw new AlisioError("usage", `Session is missing: write alisio sessions ${action} <id>`);
  }
  if (action === "compact") {
    return await (await import("./sessions_compact.ts")).compactSession(context);
  }
  if (action === "rewind") {
    return await (await import("./sessions_rewind.ts")).rewindStoredSession(context);
  }
  if (action === "fork") {
    return await (await import("./sessions_rewind.ts")).forkStoredSession(context);
  }
  assertNothingAfter(rest, `${action} <id>`);
  switch (action) {
    case "show":
      return await withStore(context, "read", (store) => showSession(context, store, id));
    case "export":
      return await withStore(context, "read", (store) => exportToOutput(context, store, id));
    case "delete":
      return await withStore(context, "write", (store) => deleteSession(context, store, id));
    case "recover": {
      const mode = context.commandFlags["acknowledge"] === true ? "write" : "read";
      return await withStore(context, mode, (store) => recoverCalls(context, store, id));
    }
  }
}

function isAction(name: string): name is (typeof ACTIONS)[number] {
  return (ACTIONS as readonly string[]).includes(name);
}

function unknownAction(action: string | undefined): AlisioError {
  const forms = "alisio sessions list | show <id> | export <id> | delete <id> | recover <id> | " +
    "compact <id> [focus] | rewind <id> <message> | fork <id> [message]";
  if (action === undefined) return new AlisioError("usage", `Action is missing: write ${forms}`);
  const nearest = nearestName(action, ACTIONS);
  const advice = nearest === undefined ? `write ${forms}` : `did you mean "${nearest}"?`;
  return new AlisioError("usage", `Unknown action "${action.slice(0, 80)}": ${advice}`);
}

/** A flag that an action leaves aside may be the one that was to hold it back. */
function assertFlagsOf(action: (typeof ACTIONS)[number], context: CommandContext): void {
  const known = FLAGS_OF_ACTIONS[action];
  const given = Object.entries(context.commandFlags).filter(([, value]) =>
    value !== undefined && value !== false
  );
  const extra = given.find(([name]) => !known.includes(name));
  if (extra === undefined) return;
  const owners = ACTIONS.filter((other) => FLAGS_OF_ACTIONS[other].includes(extra[0]));
  const message = `Cannot use "--${extra[0]}" with alisio sessions ${action}: it belongs to ` +
    `${owners.join(" and ")}; leave it out`;
  throw new AlisioError("usage", message);
}

function assertNothingAfter(words: readonly (string | undefined)[], form: string): void {
  const extra = words.find((word) => word !== undefined);
  if (extra === undefined) return;
  const message = `Unexpected argument "${extra.slice(0, 80)}": write alisio sessions ${form}`;
  throw new AlisioError("usage", message);
}

async function listSessions(context: CommandContext, store: SessionStore): Promise<number> {
  const sessions = store.listSessions({ limit: parseLimit(context.commandFlags, DEFAULT_LIMIT) });
  if (context.flags.json) {
    for (const session of sessions) {
      await untilDrained(context);
      context.out(jsonLine({ schemaVersion: 1, type: "session", ...session }));
    }
    return EXIT_STATUS.completed;
  }
  if (sessions.length === 0) {
    context.err('No sessions yet; start one with: alisio run "<prompt>"\n');
  }
  const ids = sessions.map((session) => shortId(store, session.id));
  const width = Math.max(...ids.map((id) => id.length));
  for (const [index, session] of sessions.entries()) {
    await untilDrained(context);
    context.out(`${formatLine(session, (ids[index] ?? "").padEnd(width))}\n`);
  }
  return EXIT_STATUS.completed;
}

/** The shortest beginning of an id that stands for it alone. */
function shortId(store: SessionStore, id: string): string {
  for (let length = MIN_SHOWN_ID_CHARS; length < id.length; length++) {
    const prefix = id.slice(0, length);
    if (store.findSessions(prefix).length === 1) return prefix;
  }
  return id;
}

function formatLine(session: SessionSummary, id: string): string {
  const state = { idle: "", running: "running", needs_recovery: "needs recovery" }[session.state];
  const count = `${session.messages} ${session.messages === 1 ? "message" : "messages"}`;
  const facts = [formatTime(session.lastActivityAt), count, session.model, state];
  const title = session.title === "" ? "(no prompt)" : session.title;
  return visibleName(`${id}  ${title}  [${facts.filter((fact) => fact !== "").join(", ")}]`);
}

async function deleteSession(
  context: CommandContext,
  store: SessionStore,
  prefix: string,
): Promise<number> {
  const { id } = resolveSession(store, prefix);
  if (context.commandFlags["yes"] !== true) {
    if (!Deno.stdin.isTerminal() || !context.output.errIsTerminal) {
      const message = `Cannot ask whether to delete session "${id}": there is no terminal; add ` +
        "--yes to delete it without asking";
      throw new AlisioError("usage", message);
    }
    if (!await confirmAtTerminal(context, `Delete session ${id} for good?`)) {
      context.err("Nothing was deleted\n");
      return EXIT_STATUS.completed;
    }
  }
  // Without its record, nobody would find what still runs of a task whose owner died.
  if (store.hasLiveTasks()) await reapLost(new TaskStore(store.database), store.stateRoot);
  store.deleteSession(id);
  if (context.flags.json) {
    context.out(jsonLine({ schemaVersion: 1, type: "session_deleted", id }));
  } else if (!context.flags.quiet) {
    context.err(
      `Session ${id} was deleted; what was decided about its calls stays in "alisio audit"\n`,
    );
  }
  return EXIT_STATUS.completed;
}
