import type { JsonSchema, ToolContext, ToolDefinition } from "@alisio/sdk";
import type { Delegation } from "./delegation.ts";
import type { SubagentSettings } from "./subagent_settings.ts";

const TASK_DESCRIPTION =
  "Hands a task to another agent, which works on it in a conversation of its own with no more " +
  "permissions than this one, and returns its final report. It sees nothing of this conversation: " +
  "put all that it needs into the prompt, and say what the report must hold. Several calls in one " +
  "turn run in parallel. With background: true the call returns at once and you are told when the " +
  "task ends. With task_id an earlier task goes on with its whole history.";

const ID = {
  type: "string",
  minLength: 1,
  maxLength: 128,
  description: "The id of the task, as its result gives it",
} as const;

/** What the tools that hand work over are made from. */
export interface TaskToolParts {
  /** Loads what carries the calls out. */
  readonly delegation: () => Promise<Delegation>;
  /** What the model is told of the agents that there are now. */
  readonly describeAgents: () => Promise<string>;
  readonly settings: Pick<SubagentSettings, "resultMaxBytes" | "waitMaxMs">;
}

/**
 * The tools that hand work over. Their code is loaded with the first call.
 *
 * @param parts What they are made from.
 */
export function taskTools(
  { delegation, describeAgents, settings }: TaskToolParts,
): readonly ToolDefinition[] {
  const common = {
    effect: "internal",
    concurrent: true,
    maxResultChars: settings.resultMaxBytes,
  } as const;
  return [
    {
      ...common,
      name: "task",
      description: TASK_DESCRIPTION,
      describe: async () =>
        `${TASK_DESCRIPTION}\n\nAgents for subagent_type:\n${await describeAgents()}`,
      inputSchema: objectSchema({
        description: {
          type: "string",
          minLength: 1,
          maxLength: 200,
          description: "What it is about, in 3 to 8 words",
        },
        prompt: { type: "string", minLength: 1, description: "The task, complete in itself" },
        subagent_type: { type: "string", minLength: 1, description: "The agent" },
        model: {
          type: "string",
          minLength: 1,
          description: "Another model for this task alone, as provider/model",
        },
        task_id: { ...ID, description: "An earlier task that goes on" },
        background: { type: "boolean", description: "Whether the call returns at once" },
      }, ["description", "prompt", "subagent_type"]),
      execute: async (input, context) => {
        const session = sessionOf(context);
        return await (await delegation()).task(input, { ...context, session });
      },
    },
    {
      ...common,
      polling: true,
      name: "task_status",
      description: "Says how a task is doing: its state, agent and tokens. Does not wait.",
      inputSchema: objectSchema({ task_id: ID }, ["task_id"]),
      execute: async ({ task_id: id }, context) =>
        (await delegation()).status(String(id), sessionOf(context)),
    },
    {
      ...common,
      polling: true,
      name: "task_wait",
      description:
        "Waits until a task ends and returns its report, or its state when the time is " +
        "over.",
      inputSchema: objectSchema({
        task_id: ID,
        timeout_ms: {
          type: "integer",
          minimum: 0,
          description: `Longest wait; at most ${settings.waitMaxMs}, which is also the default`,
        },
      }, ["task_id"]),
      execute: async ({ task_id: id, timeout_ms: timeoutMs }, context) =>
        await (await delegation()).wait(String(id), {
          session: sessionOf(context),
          signal: context.signal,
          ...(typeof timeoutMs === "number" ? { timeoutMs } : {}),
        }),
    },
    {
      ...common,
      name: "send_message",
      description: "Sends a message to a task. One that runs reads it at its next turn; one that " +
        "has ended goes on with it in the background.",
      inputSchema: objectSchema({
        task_id: ID,
        text: { type: "string", minLength: 1, maxLength: 100_000, description: "The message" },
      }, ["task_id", "text"]),
      execute: async ({ task_id: id, text }, context) =>
        await (await delegation()).send(String(id), String(text), sessionOf(context)),
    },
  ];
}

function objectSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): JsonSchema {
  return { type: "object", properties: { ...properties }, required, additionalProperties: false };
}

function sessionOf({ session }: ToolContext): string {
  if (session === undefined) throw new TypeError("Cannot hand work over: there is no session");
  return session;
}
