import { AlisioError } from "../core/errors.ts";
import { visibleLines, visibleName } from "../core/process/visible_text.ts";
import { describeRewind } from "../core/rewind/describe_rewind.ts";
import { forkSession } from "../core/rewind/fork_session.ts";
import {
  planRewind,
  type RewindOutcome,
  rewindSession,
  touched,
} from "../core/rewind/rewind_session.ts";
import { undoableRewind } from "../core/rewind/rewind_messages.ts";
import type { RestoreRules } from "../core/rewind/plan_restore.ts";
import { findPoint, type SessionPoint } from "../core/rewind/session_points.ts";
import { resolveSession } from "../core/session/resolve_session.ts";
import type { SessionRecord } from "../core/session/session_records.ts";
import type { SessionStore } from "../core/session/session_store.ts";
import type { CommandContext } from "./command_context.ts";
import { confirmAtTerminal } from "./confirm.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { jsonLine } from "./json_line.ts";
import { openApplication } from "./open_application.ts";
import { withStore } from "./with_store.ts";

const REWIND_FORM = "alisio sessions rewind <id> <message> [--files] [--dry-run], or " +
  "alisio sessions rewind <id> --undo";

/**
 * `alisio sessions rewind`: puts a conversation back to before a prompt, with `--files` also the
 * files that Alisio changed since; with `--undo`, takes that back.
 *
 * @param context What the command was called with.
 * @returns The exit status.
 * @throws {AlisioError} If the command line is wrong, the session is in use or needs recovery, or
 * files were changed by other hands.
 */
export async function rewindStoredSession(context: CommandContext): Promise<number> {
  const { commandFlags } = context;
  const [, id = "", message, extra] = context.args;
  const isUndo = commandFlags["undo"] === true;
  if (extra !== undefined || isUndo === (message !== undefined)) {
    throw new AlisioError("usage", `Cannot rewind the session: write ${REWIND_FORM}`);
  }
  const named = message ?? "undo";
  const found = await findRewound(context, id, isUndo);
  if (commandFlags["files"] !== true && !found.withFiles) {
    const mode = commandFlags["dry-run"] === true ? "read" : "write";
    return await withStore(
      context,
      mode,
      (store) => rewind(context, store, resolveSession(store, id), { named }),
    );
  }
  const { session } = found;
  const application = await openApplication(
    { ...context, cwd: session.workspace },
    { loadsExternalPlugins: false },
  );
  try {
    const rules = application.restoreRules();
    return await rewind(context, application.store, session, { named, rules });
  } finally {
    await application.close();
  }
}

/**
 * `alisio sessions fork`: copies a conversation, or its part before a prompt, into a new session.
 *
 * @param context What the command was called with.
 * @returns The exit status.
 * @throws {AlisioError} If the command line is wrong, or the session is in use or needs recovery.
 */
export async function forkStoredSession(context: CommandContext): Promise<number> {
  const [, id = "", message, extra] = context.args;
  if (extra !== undefined) {
    throw new AlisioError("usage", "Cannot fork: write alisio sessions fork <id> [message]");
  }
  return await withStore(context, "write", async (store) => {
    const source = resolveSession(store, id);
    const point = message === undefined ? undefined : findPoint(store, source.id, message);
    const fork = await forkSession(store, source, point, Date.now());
    if (context.flags.json) {
      const origin = { from: source.id, ...(point === undefined ? {} : { before: point.message }) };
      context.out(jsonLine({ schemaVersion: 1, type: "session_forked", id: fork.id, ...origin }));
    } else {
      context.out(`${fork.id}\n`);
      if (!context.flags.quiet) {
        context.err(`Go on in the copy with: alisio resume ${fork.id} "<prompt>"\n`);
      }
    }
    return EXIT_STATUS.completed;
  });
}

/** Where a session works, and whether there are files to put back, is known before it is opened. */
async function findRewound(
  context: CommandContext,
  id: string,
  isUndo: boolean,
): Promise<{ readonly session: SessionRecord; readonly withFiles: boolean }> {
  const found: { readonly session: SessionRecord; readonly withFiles: boolean }[] = [];
  await withStore(context, "read", (store) => {
    const session = resolveSession(store, id);
    const withFiles = isUndo && undoableRewind(store, session.id).withFiles;
    return found.push({ session, withFiles });
  });
  const [first] = found;
  if (first === undefined) throw new TypeError("A session is found, or an error thrown");
  return first;
}

async function rewind(
  context: CommandContext,
  store: SessionStore,
  session: SessionRecord,
  { named, rules }: { readonly named: string; readonly rules?: RestoreRules },
): Promise<number> {
  const { commandFlags, signal } = context;
  const point = named === "undo" ? named : findPoint(store, session.id, named);
  const plan = await planRewind(store, session.id, point, rules);
  if (commandFlags["dry-run"] === true) {
    print(context, session, { point, outcome: plan, isPlan: true });
    return isRefused(plan) ? EXIT_STATUS.failed : EXIT_STATUS.completed;
  }
  const { restored, removed } = touched(plan.files);
  const isSure = commandFlags["yes"] === true;
  if (restored.length + removed.length > 0 && !isSure) {
    const question = visibleLines(describeRewind(plan, session.workspace));
    if (!await isConfirmed(context, question)) {
      context.err("Nothing was changed\n");
      return EXIT_STATUS.completed;
    }
  }
  // Which rewind "--undo" means was decided above, whatever another process undoes meanwhile.
  const isFixed = plan.isUndo || (rules !== undefined && !isSure);
  const outcome = await rewindSession(store, session.id, point, {
    signal,
    ...(rules === undefined ? {} : { rules }),
    ...(isFixed ? { shown: plan } : {}),
  });
  print(context, session, { point, outcome, isPlan: false });
  return EXIT_STATUS.completed;
}

async function isConfirmed(context: CommandContext, description: string): Promise<boolean> {
  if (!Deno.stdin.isTerminal() || !context.output.errIsTerminal) {
    throw new AlisioError(
      "usage",
      "Cannot ask whether to put files back: there is no terminal; look with --dry-run, then add " +
        "--yes",
    );
  }
  context.err(`${description}\n`);
  return await confirmAtTerminal(context, "Put the files back?");
}

function print(
  context: CommandContext,
  session: SessionRecord,
  { point, outcome, isPlan }: {
    readonly point: SessionPoint | "undo";
    readonly outcome: RewindOutcome;
    readonly isPlan: boolean;
  },
): void {
  if (context.flags.json) return context.out(jsonLine(jsonOf(session, outcome, isPlan)));
  if (context.flags.quiet) return;
  const text = visibleLines(describeRewind(outcome, session.workspace));
  if (isPlan) {
    const heading = isRefused(outcome)
      ? "Would be refused, because files are in the way; nothing was changed:"
      : "Would do this, and changed nothing:";
    return context.out(`${heading}\n${text}\n`);
  }
  context.err(`${text}\n`);
  const next = point === "undo"
    ? ""
    : `; undo it with: alisio sessions rewind ${session.id} --undo`;
  const prompt = point === "undo" ? "" : `The prompt was: ${visibleName(point.text)}\n`;
  context.err(`${prompt}Done${next}\n`);
}

function isRefused({ files }: RewindOutcome): boolean {
  return (files?.conflicts.length ?? 0) > 0;
}

function jsonOf(session: SessionRecord, outcome: RewindOutcome, isPlan: boolean): unknown {
  const { before, messages, files, outsideCalls, isUndo } = outcome;
  const { restored, removed } = touched(files);
  return {
    schemaVersion: 1,
    type: isPlan ? "session_rewind_planned" : "session_rewound",
    id: session.id,
    before,
    messages,
    restored,
    removed,
    conflicts: files?.conflicts ?? [],
    left: files?.left ?? [],
    outsideCalls,
    ...(isPlan ? { refused: isRefused(outcome) } : {}),
    ...(isUndo ? { undone: true } : {}),
  };
}
