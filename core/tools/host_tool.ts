import type {
  JsonSchema,
  RunEventData,
  ToolContext,
  ToolDefinition,
  ToolResult,
} from "@alisio/sdk";
import type { FileChange, RecordedChange } from "../files/file_change.ts";
import type { JudgedPath } from "../paths/judged_path.ts";
import type { NestedCalls } from "./nested_calls.ts";

/** What a built-in tool is given beyond the plugin contract. */
export interface HostToolContext extends ToolContext {
  /** Id of the call that is running. */
  readonly callId: string;
  /** Agents from the main one down to the one that calls; absent for the main agent. */
  readonly agentPath?: readonly string[];
  /** Real paths that tools may touch; the workspace is the first. */
  readonly roots: readonly string[];
  /**
   * The judged form of a path that this call declared through `paths`. Built-in tools open
   * `real`, never what the input says.
   *
   * @throws {TypeError} If the call did not declare the path: a programming error.
   */
  path(requested: string): JudgedPath;
  /**
   * Records a change of a file before it is made, so that it can be taken back. Absent where nothing
   * is recorded.
   *
   * @throws If it cannot be recorded; the change must not be made then.
   */
  readonly recordChange?: (change: Omit<FileChange, "isSecret">) => Promise<RecordedChange>;
  /** The run of the call, for a tool that waits for the person. */
  readonly run?: ToolRun;
  /**
   * Makes calls of other tools. Absent for a tool that does not say that it does, and where nobody
   * records such calls.
   *
   * @internal
   */
  readonly calls?: NestedCalls;
}

/** What a built-in tool may do to the run of its call. */
export interface ToolRun {
  /**
   * Records an event, which everybody who watches the run sees.
   *
   * @throws {AlisioError} If it cannot be stored.
   */
  readonly record: <T extends keyof RunEventData>(type: T, data: RunEventData[T]) => void;
  /** Waits for the person while the clock of the run stands still. */
  readonly pauseWhile: <T>(wait: () => Promise<T>) => Promise<T>;
}

/**
 * What a tool has to do with MCP servers: `server` hands calls to one, `own` looks after them and
 * asks the person itself before it starts or reaches one.
 */
export type McpTrait = "server" | "own";

/** A built-in tool. */
export interface HostTool extends Omit<ToolDefinition, "execute" | "effect"> {
  /** Its effect; a built-in tool always declares one. */
  readonly effect: NonNullable<ToolDefinition["effect"]>;
  /** Whether it is offered only while an interactive front end can answer. */
  readonly interactiveOnly?: boolean;
  /**
   * Whether it is offered at this moment; asked once for each run. Absent means always.
   *
   * @param sessionId The session of the run; empty where there is none.
   */
  readonly isOffered?: (sessionId: string) => boolean;
  /**
   * What a model is shown in place of the schema, where that depends on the moment; an input is
   * held against the schema all the same.
   */
  readonly offeredSchema?: () => JsonSchema;
  /** Whether an approval covers one call and never the session. */
  readonly approvedOnce?: boolean;
  /** Whether it calls other tools. No such tool is called by another one. */
  readonly callsTools?: boolean;
  /** Whether only the model itself may call it, never a tool that calls others. */
  readonly directOnly?: boolean;
  /**
   * What it has to do with MCP servers; absent for all others.
   *
   * @internal
   */
  readonly mcp?: McpTrait;
  /** Another one for each change of the tool; a call of an earlier one is not run. */
  readonly revision?: string;
  /** Told that a model called it without having been shown what it is now. */
  readonly onUnseen?: (sessionId: string) => void;
  /** Runs the call; called by the gate alone. */
  execute(input: Record<string, unknown>, context: HostToolContext): Promise<ToolResult>;
}
