import type { Effect } from "@alisio/sdk";
import type { ApprovalAnswer, ApprovalQuestion, Approver } from "../../core/gate/approval.ts";
import type { DecisionRecord } from "../../core/gate/decision_record.ts";
import type { CallContext, CallOutcome, CallRecord, Gate } from "../../core/gate/gate.ts";
import type { HostTool } from "../../core/tools/host_tool.ts";
import { type CalledTools, createTestGate, type GateOptions } from "./run_harness.ts";
import { withTempDir } from "./temp.ts";

/** A gate on a workspace, and what was noticed of its calls. */
export interface GateScene {
  readonly gate: Gate;
  /** The folder that holds the workspace `ws`. */
  readonly folder: string;
  readonly workspace: string;
  readonly called: CalledTools;
  /** Types of the events of all calls, in order. */
  readonly events: string[];
  /** What was recorded before it ran. */
  readonly records: CallRecord[];
  /** What was decided, in order. */
  readonly decisions: DecisionRecord[];
  /** Makes one call. */
  call(
    name: string,
    input: unknown,
    rest?: CallOptions,
  ): Promise<CallOutcome>;
}

/** The run of one call. */
export interface CallOptions extends Partial<CallContext> {
  readonly session?: string;
}

/** Runs `body` with a gate over the default tools in a temporary folder. */
export async function withGate(
  options: GateOptions | ((folder: string) => GateOptions),
  body: (scene: GateScene) => Promise<void>,
): Promise<void> {
  await withTempDir(async (folder) => {
    const workspace = `${folder}/ws`;
    await Deno.mkdir(workspace);
    const called: CalledTools = [];
    const events: string[] = [];
    const records: CallRecord[] = [];
    const decisions: DecisionRecord[] = [];
    const gate = createTestGate(
      workspace,
      called,
      typeof options === "function" ? options(folder) : options,
    );
    let count = 0;
    await body({
      gate,
      folder,
      workspace,
      called,
      events,
      records,
      decisions,
      call(name, input, { session = "s1", ...rest } = {}) {
        const context: CallContext = {
          sessionId: session,
          signal: new AbortController().signal,
          emit: (type) => void events.push(type),
          recordStart: (record) => void records.push(record),
          recordDecision: (record) => void decisions.push(record),
          pauseWhile: (wait) => wait(),
          ...rest,
        };
        const id = `call_${++count}`;
        return gate.call({ id, name, arguments: JSON.stringify(input) }, context);
      },
    });
  });
}

/** A person who gives prepared answers, then the last one for ever, and keeps the questions. */
export function person(
  ...answers: readonly ApprovalAnswer[]
): { readonly approver: Approver; readonly asked: ApprovalQuestion[] } {
  const asked: ApprovalQuestion[] = [];
  return {
    asked,
    approver(question) {
      asked.push(question);
      return Promise.resolve(answers[asked.length - 1] ?? answers.at(-1) ?? "deny");
    },
  };
}

/** A tool without input. */
export function tool(name: string, effect: Effect, execute: HostTool["execute"]): HostTool {
  return { name, description: name, effect, inputSchema: { type: "object" }, execute };
}
