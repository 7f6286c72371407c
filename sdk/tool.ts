import type { DecisionConsumer } from "./decision.ts";
import type { JsonSchema } from "./json.ts";
import type { SemanticConsumer } from "./semantic.ts";
import type { UiBlock } from "./ui_block.ts";

/**
 * What a tool does to the world. The effect decides whether a call runs, is asked about or is
 * refused; it isolates nothing by itself.
 *
 * - `read`: no side effect
 * - `write`: changes files of the workspace
 * - `process`: runs programs
 * - `external`: reaches the network or another system; also every effect that is not known
 * - `internal`: changes only state that Alisio owns; honoured for built-in plugins alone
 */
export type Effect = "read" | "write" | "process" | "external" | "internal";

/** Text, the only part that a model is sent. */
export interface TextPart {
  /** Which part this is. */
  readonly type: "text";
  /** The text. */
  readonly text: string;
}

/** An image as base64 data. */
export interface ImagePart {
  /** Which part this is. */
  readonly type: "image";
  /** For example `image/png`. */
  readonly mimeType: string;
  /** The bytes, base64 encoded. */
  readonly data: string;
}

/** A block for rich front ends. Models, compaction and headless output see only text parts. */
export interface UiPart {
  /** Which part this is. */
  readonly type: "ui";
  /** What to show. */
  readonly block: UiBlock;
}

/** One part of a tool result. */
export type ToolResultPart = TextPart | ImagePart | UiPart;

/** What a tool answers. `isError` marks a failure that the model can act on. */
export interface ToolResult {
  /** The parts, in order. */
  readonly content: readonly ToolResultPart[];
  /** Whether the call failed in a way that the model can act on. */
  readonly isError?: boolean;
}

/** What a running tool is given. */
export interface ToolContext {
  /** Aborts when the call is cancelled or a limit fires. */
  readonly signal: AbortSignal;
  /** Absolute real path of the workspace root. */
  readonly workspace: string;
  /** The session that the call belongs to, if there is one. */
  readonly session?: string;
  /** Small, closed decisions. Absent on a host that lacks it. */
  readonly decisions?: DecisionConsumer;
  /** Search by meaning. Absent on a host that lacks it. */
  readonly semantic?: SemanticConsumer;
  /**
   * Reports progress to front ends as a `tool_progress` event, which is never stored.
   *
   * @param data Anything that survives JSON.
   */
  emit(data: unknown): void;
}

/** A tool that a model may call. */
export interface ToolDefinition {
  /** Name the model uses, `^[a-zA-Z0-9_-]{1,64}$`. */
  readonly name: string;
  /** One short paragraph for the model. */
  readonly description: string;
  /** JSON Schema of the input; always an object schema. */
  readonly inputSchema: JsonSchema;
  /**
   * What a call does to the world.
   *
   * @default "external"
   */
  readonly effect?: Effect;
  /**
   * The paths that a call would touch, as given in the input. The gate resolves and judges them
   * before `execute` runs.
   */
  readonly paths?: (input: Record<string, unknown>) => string[];
  /** Whether the call may overlap reads and other concurrent calls of the same turn. */
  readonly concurrent?: boolean;
  /**
   * Whether calling it again and again with one input is what it is for, so that this is no loop.
   * Honoured for built-in plugins alone.
   *
   * @default false
   */
  readonly polling?: boolean;
  /**
   * Most characters of its text that the model is sent. Honoured for built-in plugins alone.
   *
   * @default the limit of every tool
   */
  readonly maxResultChars?: number;
  /**
   * Describes the tool as it is at a moment, asked before each request to the model. What it throws
   * leaves `description` in place. Honoured for built-in plugins alone.
   *
   * @param context The session of the request.
   */
  describe?(context: { readonly session: string }): Promise<string>;
  /**
   * Runs the call. Called by the gate alone, after the input was validated and allowed.
   *
   * @param input The validated input.
   * @param context What the call may use.
   */
  execute(input: Record<string, unknown>, context: ToolContext): Promise<ToolResult>;
}

/**
 * Builds a result with a single text part.
 *
 * @example A tool that fails with advice
 * ```ts
 * import { textResult } from "@alisio/sdk";
 *
 * const result = textResult("Cannot find the ticket: pass a number", true);
 * console.log(result.isError); // true
 * ```
 *
 * @param text The text that the model reads.
 * @param isError Whether the call failed.
 */
export function textResult(text: string, isError = false): ToolResult {
  const content: readonly ToolResultPart[] = [{ type: "text", text }];
  return isError ? { content, isError } : { content };
}
