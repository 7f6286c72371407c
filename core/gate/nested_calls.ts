import type { ModelToolCall } from "@alisio/sdk";
import type { NestedCalls, NestedOutcome } from "../tools/nested_calls.ts";
import { resultText } from "../tools/result_text.ts";
import type { RegisteredTool } from "../tools/tool_registry.ts";
import type { CallContext, CallOutcome } from "./gate.ts";

/** What calls on behalf of a call need of the gate. */
export interface NestedCallPorts {
  readonly call: (call: ModelToolCall, context: CallContext) => Promise<CallOutcome>;
  readonly mayOverlap: (name: string) => boolean;
  /** The call that makes them. */
  readonly callId: string;
  readonly context: CallContext;
  /** Stores how one ended, and tells it. */
  readonly recordEnd: NonNullable<CallContext["recordNestedEnd"]>;
  /** Whether the call that makes them still runs. */
  readonly isOpen: () => boolean;
}

/**
 * Creates what a tool makes calls with. They are numbered in the order they are made, and bear the
 * id of the call that makes them.
 *
 * @param ports What it needs of the gate.
 */
export function createNestedCalls(ports: NestedCallPorts): NestedCalls {
  const { callId: parentId, context } = ports;
  let count = 0;
  return {
    mayOverlap: ports.mayOverlap,
    async call(call, signal) {
      if (!ports.isOpen()) {
        throw new TypeError("Cannot make a call: the call that makes it is over");
      }
      count += 1;
      const outcome = await ports.call({ id: `${parentId}/${count}`, ...call }, {
        ...context,
        parentId,
        signal: AbortSignal.any([context.signal, signal]),
      });
      // What ends after the call that made it has been left behind with it.
      if (ports.isOpen()) ports.recordEnd(outcome, parentId);
      return nestedOutcome(outcome);
    },
  };
}

/**
 * Whether a tool may be called on behalf of a call at this moment.
 *
 * @param tool The tool.
 * @param sessionId The session.
 */
export function isNestable(tool: RegisteredTool, sessionId: string): boolean {
  return !tool.callsTools && !tool.directOnly && !tool.interactiveOnly && tool.isOffered(sessionId);
}

function nestedOutcome(outcome: CallOutcome): NestedOutcome {
  const { callId, content, instructions, durationMs } = outcome;
  const own = instructions === undefined ? content : content.slice(0, -1);
  return {
    callId,
    status: statusOf(outcome),
    text: resultText(own),
    ...(instructions === undefined ? {} : { instructions }),
    durationMs,
  };
}

function statusOf(outcome: CallOutcome): NestedOutcome["status"] {
  if (outcome.unfinished === true) return "unfinished";
  if (outcome.refused !== undefined) return "refused";
  if (outcome.skipped === true) return "skipped";
  return outcome.isError ? "failed" : "done";
}
