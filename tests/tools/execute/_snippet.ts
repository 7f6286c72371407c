import type { CallAnswer } from "../../../tools/execute/call_queue.ts";
import { runSnippet, type SnippetOutcome } from "../../../tools/execute/run_snippet.ts";
import { snippetForms } from "../../../tools/execute/snippet_forms.ts";
import { snippetStarter } from "../../../tools/execute/snippet_starter.ts";

/** How a snippet of a test is run. */
export interface SnippetOptions {
  readonly timeoutMs?: number;
  readonly maxMemoryMb?: number;
  readonly maxValueChars?: number;
  readonly maxConsoleChars?: number;
  readonly signal?: AbortSignal;
  /** Answers its calls; without it they say what they were asked for. */
  readonly answer?: (name: string, input: string) => CallAnswer | Promise<CallAnswer>;
}

/** Runs a snippet in a process as the tool does. */
export async function snippet(
  code: string,
  options: SnippetOptions = {},
): Promise<SnippetOutcome & { readonly calls: readonly string[] }> {
  const calls: string[] = [];
  const {
    timeoutMs = 30_000,
    maxMemoryMb = 64,
    maxValueChars = 30_000,
    maxConsoleChars = 10_000,
    signal = new AbortController().signal,
    answer = (name: string, input: string) => ({ ok: true, text: `${name} ${input}` }),
  } = options;
  const outcome = await runSnippet({
    starter: snippetStarter(Deno.env.toObject(), { timeoutMs, maxMemoryMb }),
    order: { ...snippetForms(code), limits: { maxValueChars, maxConsoleChars } },
    timeoutMs,
    signal,
    onCall: async ({ name, input }, reply) => {
      calls.push(name);
      reply(await answer(name, input));
    },
  });
  return { ...outcome, calls };
}

/** What a snippet returned, or how else it ended. */
export async function valueOf(code: string, options: SnippetOptions = {}): Promise<unknown> {
  const { end } = await snippet(code, options);
  if (end.kind !== "returned") return end;
  return end.value === undefined ? undefined : JSON.parse(end.value);
}
