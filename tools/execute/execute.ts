import { textResult, type ToolResult } from "@alisio/sdk";
import type { ExecuteSettings } from "../../core/config/configuration.ts";
import { CommandError } from "../../core/process/command_error.ts";
import type { HostTool, HostToolContext } from "../../core/tools/host_tool.ts";
import type { CommandPorts } from "../_command_ports.ts";
import { EXECUTE } from "../tool_definitions.ts";
import { CallQueue } from "./call_queue.ts";
import { runSnippet, type SnippetEnd, type SnippetOutcome } from "./run_snippet.ts";
import { snippetForms } from "./snippet_forms.ts";
import { snippetStarter } from "./snippet_starter.ts";

/** What `execute` is given. */
export interface ExecutePorts extends Pick<CommandPorts, "sandbox"> {
  /** Environment variables of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** Bounds of a snippet. */
  readonly limits: ExecuteSettings;
}

/** Characters of a returned value. */
const MAX_VALUE_CHARS = 30_000;
/** Characters of the console that are returned. */
const MAX_CONSOLE_CHARS = 10_000;
const MAX_ERROR_CHARS = 4_000;

/**
 * Creates `execute`: a snippet of JavaScript in a process of its own that has no permission, and
 * reaches nothing but other tools, through the gate.
 *
 * @param ports Its bounds, and the sandbox of programs.
 */
export function createExecuteTool(ports: ExecutePorts): HostTool {
  return { ...EXECUTE, execute: (input, context) => execute(ports, input, context) };
}

async function execute(
  { env, limits, sandbox }: ExecutePorts,
  input: Record<string, unknown>,
  context: HostToolContext,
): Promise<ToolResult> {
  const code = typeof input["code"] === "string" ? input["code"] : "";
  if (code.trim() === "") return textResult('Cannot run a snippet: "code" is empty', true);
  if (context.calls === undefined) {
    return textResult("Cannot run a snippet: nothing records the calls that it would make", true);
  }
  const { timeoutMs, maxCalls } = limits;
  const run = sandbox?.()?.run;
  // The limit is one for the snippet and the calls that it makes.
  const over = AbortSignal.any([context.signal, AbortSignal.timeout(timeoutMs)]);
  const queue = new CallQueue(context.calls, { maxCalls, signal: over });
  try {
    const outcome = await runSnippet({
      starter: snippetStarter(env, limits),
      order: {
        ...snippetForms(code),
        limits: { maxValueChars: MAX_VALUE_CHARS, maxConsoleChars: MAX_CONSOLE_CHARS },
      },
      timeoutMs,
      signal: context.signal,
      ...(run === undefined ? {} : { run }),
      onCall: ({ name, input: json }, answer) => queue.add(name, json, answer),
    });
    await queue.close();
    return resultOf(outcome, queue, limits);
  } catch (error) {
    await queue.close();
    if (!(error instanceof CommandError)) throw error;
    return textResult(error.message, true);
  }
}

function resultOf(
  { end, console }: SnippetOutcome,
  queue: CallQueue,
  limits: ExecuteSettings,
): ToolResult {
  const error = errorOf(end, limits);
  const lines = console.join("\n");
  const result = {
    ...(error === null ? valueOf(end) : { error }),
    ...(lines === "" ? {} : { console: lines }),
    ...(queue.list.length === 0 ? {} : { calls: queue.list }),
    ...(queue.dropped === 0 ? {} : { callsOverLimit: queue.dropped }),
  };
  const text = JSON.stringify(result);
  const instructions = queue.instructions.map((each) => ({ type: "text", text: each } as const));
  return { content: [{ type: "text", text }, ...instructions], isError: error !== null };
}

function valueOf(end: SnippetEnd): Readonly<Record<string, unknown>> {
  if (end.kind !== "returned") return {};
  const { value, isCut } = end;
  if (value === undefined) {
    return { value: null, note: "Nothing was returned; end a snippet with: return value" };
  }
  // Whoever sent it is not to be trusted with its length either.
  const isWhole = !isCut && value.length <= MAX_VALUE_CHARS;
  if (isWhole) {
    try {
      return { value: JSON.parse(value) };
    } catch {
      return { value };
    }
  }
  return {
    value: value.slice(0, MAX_VALUE_CHARS),
    note: `The value is longer than ${MAX_VALUE_CHARS} characters of JSON; this is the beginning ` +
      "of its text. Return less",
  };
}

function errorOf(end: SnippetEnd, { timeoutMs, maxMemoryMb }: ExecuteSettings): string | null {
  switch (end.kind) {
    case "returned":
      return null;
    case "threw":
      return end.error.slice(0, MAX_ERROR_CHARS);
    case "timeout":
      return `The snippet took longer than ${timeoutMs} ms, its calls included, and was killed: ` +
        "do less in one snippet";
    case "memory":
      return `The snippet used more memory than it may (${maxMemoryMb} MB) and was ended: keep ` +
        "less at once";
    case "flood":
      return "The snippet wrote more than it may, or something that is no message, and was killed";
    case "cancelled":
      return "The snippet was stopped, and its calls with it";
    case "died":
      return `The process of the snippet ended by itself (${end.detail})`;
  }
}
