import type { RunEventData } from "@alisio/sdk";
import { assertRecovered, recoverSession } from "../session/recovery.ts";
import { unansweredCalls } from "../session/repair_history.ts";
import type { ActiveMessage } from "../session/session_records.ts";
import type { SessionStore } from "../session/session_store.ts";
import { RunEvents, type RunObserver } from "../run/run_events.ts";
import { CompactionPace } from "./compaction_pace.ts";
import { type CompactionOutcome, Compactor, type CompactorPorts } from "./compactor.ts";
import type { RunLimits } from "../run/run_limits.ts";

/** What a compaction outside any run works with. */
export interface WishPorts extends
  Omit<
    CompactorPorts,
    "events" | "reportHooks" | "timeoutMs" | "retryBaseMs" | "limits"
  > {
  readonly limits: RunLimits;
  readonly observers: readonly RunObserver[];
  /** What hooks failed at since it was asked last. */
  readonly hookFailures: () => readonly RunEventData["plugin_hook_failed"][];
}

const RETRY_BASE_MS = 500;

/**
 * Makes a conversation shorter because a person asks for it, whatever became of it before. Its
 * events have a run id of their own.
 *
 * @param ports What it works with.
 * @param focus What the person wants to be kept in view.
 * @throws {AlisioError} `session_needs_recovery` where calls are uncertain; with a `database_*` code.
 * @throws The reason of the signal, if that aborts.
 */
export async function compactAtWish(
  ports: WishPorts,
  focus?: string,
): Promise<CompactionOutcome> {
  const { store, sessionId, observers, hookFailures, limits } = ports;
  const active = recoveredMessages(store, sessionId);
  const events = new RunEvents({ runId: crypto.randomUUID(), sessionId, store, observers });
  const outcome = await new Compactor({
    ...ports,
    events,
    retryBaseMs: RETRY_BASE_MS,
    timeoutMs: () => limits.timeoutMs,
    reportHooks: () => {
      for (const failure of hookFailures()) events.emit("plugin_hook_failed", failure);
    },
  }).compact({ reason: "manual", focus, active });
  // What failed or did not help before counts no longer: the person has looked after it.
  if (outcome.status === "completed") new CompactionPace(store, sessionId, ports.model).helped();
  return outcome;
}

/** A long conversation is read once, unless something in it must be set right first. */
function recoveredMessages(store: SessionStore, sessionId: string): readonly ActiveMessage[] {
  const active = store.activeMessages(sessionId);
  const isWhole = store.pendingCalls(sessionId).length === 0 &&
    unansweredCalls(active.map(({ message }) => message)).length === 0;
  if (isWhole) return active;
  const { uncertain } = recoverSession(store, sessionId, Date.now());
  assertRecovered(sessionId, uncertain);
  return store.activeMessages(sessionId);
}
