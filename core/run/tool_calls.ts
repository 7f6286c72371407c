import type { ModelToolCall } from "@alisio/sdk";
import type { CallContext, CallOutcome, Gate } from "../gate/gate.ts";

/** Reads that may run side by side. */
export const MAX_PARALLEL_CALLS = 4;

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
 * conversation stays complete.
 *
 * @param calls The calls, with final ids.
 * @param ports What it needs from the run.
 */
export async function runToolCalls(
  calls: readonly ModelToolCall[],
  ports: ToolCallPorts,
): Promise<void> {
  for (const batch of batchesOf(calls, (name) => ports.gate.mayOverlap(name))) {
    const stopped = ports.context.signal.aborted || !ports.mayContinue();
    const settled = await Promise.allSettled(
      batch.map((call) => {
        const refusal = ports.refusals?.get(call.id);
        if (stopped) return ports.gate.skip(call, ports.context);
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

/** Unlike a call that is skipped, one that is refused counts: a model may repeat it for ever. */
function refuse(call: ModelToolCall, text: string, ports: ToolCallPorts): CallOutcome {
  const { skipped: _, ...outcome } = ports.gate.skip(call, ports.context);
  return { ...outcome, content: [{ type: "text", text }] };
}

/**
 * Groups calls that may run side by side, keeping their order.
 *
 * @param calls The calls of one response.
 * @param mayOverlap Whether calls of that tool may overlap others.
 */
export function batchesOf(
  calls: readonly ModelToolCall[],
  mayOverlap: (name: string) => boolean,
): readonly (readonly ModelToolCall[])[] {
  const batches: ModelToolCall[][] = [];
  let open: ModelToolCall[] | null = null;
  for (const call of calls) {
    const overlaps = mayOverlap(call.name);
    if (overlaps && open !== null && open.length < MAX_PARALLEL_CALLS) {
      open.push(call);
      continue;
    }
    const batch = [call];
    batches.push(batch);
    open = overlaps ? batch : null;
  }
  return batches;
}
