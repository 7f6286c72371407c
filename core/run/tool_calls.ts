import type { ModelToolCall } from "@alisio/sdk";
import type { CallContext, CallOutcome, Gate } from "../gate/gate.ts";
import { REPETITION_STOP_AT } from "./repetition_guard.ts";

/** Reads that may run side by side. */
export const MAX_PARALLEL_CALLS = 4;

const REPEATED =
  "Not run: your reply holds this very call too often in a row. Use the results that you have.";

/** What running the calls of one response needs from the run. */
export interface ToolCallPorts {
  readonly gate: Gate;
  readonly context: CallContext;
  /** By id, of each call that is answered instead of taken to the gate: the answer. */
  readonly refusals?: ReadonlyMap<string, string>;
  /** Called with the outcomes of each batch, in call order; the next batch waits for its end. */
  readonly onBatch: (outcomes: readonly CallOutcome[]) => void | Promise<void>;
  /** Whether further calls may start; asked before every batch. */
  readonly mayContinue: () => boolean;
}

/**
 * Runs the calls of one response: neighbouring reads side by side, everything with an effect alone
 * and in order. Every call gets an outcome, those that never started included, so that the
 * conversation stays complete. A call that a response repeats without end is not made every time.
 *
 * @param calls The calls, with final ids.
 * @param ports What it needs from the run.
 */
export async function runToolCalls(
  calls: readonly ModelToolCall[],
  ports: ToolCallPorts,
): Promise<void> {
  const repeated = repeatedCalls(calls, (name) => ports.gate.isPolling(name));
  const mayOverlap = (name: string) => ports.gate.mayOverlap(name);
  const isFree = (name: string) => ports.gate.hasOwnLimits(name);
  for (const batch of batchesOf(calls, mayOverlap, isFree)) {
    const stopped = ports.context.signal.aborted || !ports.mayContinue();
    const settled = await Promise.allSettled(
      batch.map((call) => {
        const refusal = ports.refusals?.get(call.id);
        if (stopped) return ports.gate.skip(call, ports.context);
        if (repeated.has(call.id)) return leaveOut(call, ports);
        return refusal === undefined
          ? ports.gate.call(call, ports.context)
          : refuse(call, refusal, ports);
      }),
    );
    // What did end is recorded even when a neighbour could not be.
    await ports.onBatch(settled.flatMap((each) => each.status === "fulfilled" ? [each.value] : []));
    const failed = settled.find((each) => each.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }
}

function leaveOut(call: ModelToolCall, ports: ToolCallPorts): CallOutcome {
  const content = [{ type: "text", text: REPEATED }] as const;
  return { ...ports.gate.skip(call, ports.context), content };
}

/** Unlike a call that is skipped, one that is refused counts: a model may repeat it for ever. */
function refuse(call: ModelToolCall, text: string, ports: ToolCallPorts): CallOutcome {
  const { skipped: _, ...outcome } = ports.gate.skip(call, ports.context);
  return { ...outcome, content: [{ type: "text", text }] };
}

/**
 * Finds the calls of one response that only repeat the ones before them: beyond as many equal calls
 * in a row as would end the run if they came one by one. None of them can know the result yet.
 *
 * @param calls The calls of one response.
 * @param isPolling Whether a tool is made for equal calls.
 * @returns Their ids.
 */
export function repeatedCalls(
  calls: readonly ModelToolCall[],
  isPolling: (name: string) => boolean,
): ReadonlySet<string> {
  const repeated = new Set<string>();
  let key = "";
  let count = 0;
  for (const call of calls) {
    const next = `${call.name}\0${call.arguments}`;
    count = next === key ? count + 1 : 1;
    key = next;
    if (count > REPETITION_STOP_AT && !isPolling(call.name)) repeated.add(call.id);
  }
  return repeated;
}

/**
 * Groups calls that may run side by side, keeping their order.
 *
 * @param calls The calls of one response.
 * @param mayOverlap Whether calls of that tool may overlap others.
 * @param isFree Whether calls of that tool have limits of their own, and do not count among those
 * that run side by side.
 */
export function batchesOf(
  calls: readonly ModelToolCall[],
  mayOverlap: (name: string) => boolean,
  isFree: (name: string) => boolean = () => false,
): readonly (readonly ModelToolCall[])[] {
  const batches: ModelToolCall[][] = [];
  let open: ModelToolCall[] | null = null;
  let counted = 0;
  for (const call of calls) {
    const overlaps = mayOverlap(call.name);
    const weight = isFree(call.name) ? 0 : 1;
    if (overlaps && open !== null && counted + weight <= MAX_PARALLEL_CALLS) {
      open.push(call);
      counted += weight;
      continue;
    }
    const batch = [call];
    batches.push(batch);
    open = overlaps ? batch : null;
    counted = weight;
  }
  return batches;
}
