import { AlisioError } from "../core/errors.ts";
import { visibleName } from "../core/process/visible_text.ts";
import { redactSecrets } from "../core/redact.ts";
import { inspectWrite, type WriteFinding } from "../core/session/inspect_write.ts";
import { acquireLease } from "../core/session/lease.ts";
import { acknowledgeCalls, recoverSession } from "../core/session/recovery.ts";
import { resolveSession } from "../core/session/resolve_session.ts";
import type { JournalCall, SessionRecord } from "../core/session/session_records.ts";
import type { SessionStore } from "../core/session/session_store.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { jsonLine } from "./json_line.ts";
import { secretValues } from "./secret_values.ts";
import { untilDrained } from "./until_drained.ts";

const MAX_ARGUMENT_CHARS = 500;

interface InspectedCall {
  readonly call: JournalCall;
  readonly finding?: WriteFinding;
}

/**
 * `alisio sessions recover`: shows the calls that may or may not have happened and what the files
 * say about them; with `--acknowledge`, that becomes their result. Nothing is repeated or undone.
 *
 * @param context What the command was called with.
 * @param store The store; open for writing with `--acknowledge`.
 * @param prefix An id, or the beginning of one.
 * @returns The exit status: 4 while calls are not acknowledged.
 * @throws {AlisioError} `session_locked` while the session is in use.
 */
export async function recoverCalls(
  context: CommandContext,
  store: SessionStore,
  prefix: string,
): Promise<number> {
  const session = resolveSession(store, prefix);
  if (context.commandFlags["acknowledge"] === true) {
    return await acknowledge(context, store, session);
  }
  if (store.isLeased(session.id)) {
    // What runs there is not interrupted.
    const message = `Session "${session.id}" is in use: its calls are not interrupted`;
    throw new AlisioError("session_locked", message);
  }
  const calls = await inspectCalls(store.uncertainCalls(session.id), session);
  await printCalls(context, calls);
  if (calls.length === 0) {
    context.err(`Session ${session.id} needs no recovery\n`);
    return EXIT_STATUS.completed;
  }
  context.err(
    `Nothing was changed. Check what happened, then accept it with: alisio sessions recover ` +
      `${session.id} --acknowledge\n`,
  );
  return EXIT_STATUS.needsRecovery;
}

async function acknowledge(
  context: CommandContext,
  store: SessionStore,
  session: SessionRecord,
): Promise<number> {
  const lease = await acquireLease(store, session.id);
  try {
    const { uncertain } = recoverSession(store, session.id, Date.now());
    const calls = await inspectCalls(uncertain, session);
    await printCalls(context, calls);
    const found = calls.map(({ call, finding }) => ({
      call,
      ...(finding === undefined ? {} : { finding: finding.text }),
    }));
    acknowledgeCalls(store, session.id, found, Date.now());
    const what = calls.length === 1 ? "1 interrupted call" : `${calls.length} interrupted calls`;
    const next = `go on with: alisio resume ${session.id} "<prompt>"`;
    context.err(
      calls.length === 0
        ? `Session ${session.id} needs no recovery; ${next}\n`
        : `Accepted that the outcome of ${what} is not known; ${next}\n`,
    );
    return EXIT_STATUS.completed;
  } finally {
    lease.release();
  }
}

async function inspectCalls(
  calls: readonly JournalCall[],
  session: SessionRecord,
): Promise<readonly InspectedCall[]> {
  return await Promise.all(calls.map(async (call) => {
    const finding = await inspectWrite(call, session.workspace);
    return finding === undefined ? { call } : { call, finding };
  }));
}

async function printCalls(
  context: CommandContext,
  calls: readonly InspectedCall[],
): Promise<void> {
  const secrets = secretValues(context.env);
  for (const { call, finding } of calls) {
    await untilDrained(context);
    const { callId, effect, startedAt } = call;
    const name = call.name ?? "unknown tool";
    const args = redactSecrets(call.arguments, secrets);
    if (context.flags.json) {
      const line = { callId, name, effect, startedAt, arguments: args, finding };
      context.out(jsonLine({ schemaVersion: 1, type: "uncertain_call", ...line }));
      continue;
    }
    const since = startedAt === undefined ? "" : `, began ${new Date(startedAt).toISOString()}`;
    const shown = args.length > MAX_ARGUMENT_CHARS
      ? `${args.slice(0, MAX_ARGUMENT_CHARS)} …`
      : args;
    context.out(`${visibleName(`${name} (${effect}${since}): ${shown}`)}\n`);
    const outcome = finding?.text ?? "It may or may not have happened, wholly or in part";
    context.out(`  ${visibleName(outcome)}\n`);
  }
}
