import type { KnownRunEvent, RunEvent } from "@alisio/sdk";
import type { Application } from "../core/application.ts";
import { visibleLines, visibleName } from "../core/process/visible_text.ts";
import { previewText } from "../core/text/bound_text.ts";
import type { RunObserver } from "../core/run/run_events.ts";
import { jsonLine } from "./json_line.ts";
import type { Output } from "./output.ts";

const MAX_ARGUMENT_CHARS = 80;
const MAX_NAME_CHARS = 60;
const MAX_ERROR_CHARS = 200;

/**
 * Shows what children of sessions do: as JSON lines, each under its own session, or as a few words.
 *
 * @param application Whose children; without any, nothing is done.
 * @param output Where it prints. Runs of children wait for its reader, as every run does.
 * @param options How it shows them.
 * @returns Ends it.
 */
export function watchChildren(
  { children }: Pick<Application, "children">,
  output: Output,
  { json, quiet }: { readonly json: boolean; readonly quiet: boolean },
): () => void {
  if (children === undefined || (!json && quiet)) return () => {};
  const observer: RunObserver = json
    ? (event) => output.out(jsonLine(event))
    : new ChildFrontEnd(output, (id) => children.get(id)).observe;
  return children.watch(observer, () => output.drained());
}

/** What of a child is told. */
interface ChildFacts {
  readonly agent: string;
  readonly title: string;
}

/** One line for each thing that a child does, on standard error, and its answer for nobody. */
class ChildFrontEnd {
  readonly #output: Output;
  readonly #find: (id: string) => ChildFacts | undefined;
  readonly #remedies = new Set<string>();

  constructor(output: Output, find: (id: string) => ChildFacts | undefined) {
    this.#output = output;
    this.#find = find;
  }

  readonly observe = (event: RunEvent): void => this.#show(event as KnownRunEvent);

  #show(event: KnownRunEvent): void {
    switch (event.type) {
      case "run_started":
        return this.#progress(event.sessionId, "begins");
      case "tool_started":
        return this.#progress(
          event.sessionId,
          `→ ${event.data.name} ${previewText(event.data.arguments, MAX_ARGUMENT_CHARS)}`,
        );
      case "tool_completed":
        return this.#refusal(event.sessionId, event.data);
      case "run_completed":
        return this.#progress(event.sessionId, `done, ${event.data.tokens} tokens`);
      case "run_turns_exceeded":
        return this.#progress(event.sessionId, "stopped at its turn limit");
      case "run_failed":
        return this.#note(
          event.sessionId,
          `failed: ${previewText(event.data.error, MAX_ERROR_CHARS)}`,
        );
      case "run_cancelled":
        return this.#progress(event.sessionId, "cancelled");
    }
  }

  /** Matters in a log too, once. */
  #refusal(
    sessionId: string,
    { name, refused }: Extract<KnownRunEvent, { type: "tool_completed" }>["data"],
  ): void {
    const remedy = refused?.remedy;
    if (remedy === undefined) return;
    const text = `refused "${name}" (${refused?.matched}): to permit it, ${remedy}`;
    if (this.#remedies.has(text)) return;
    this.#remedies.add(text);
    this.#note(sessionId, text);
  }

  #progress(sessionId: string, text: string): void {
    if (this.#output.errIsTerminal) this.#note(sessionId, text);
  }

  #note(sessionId: string, text: string): void {
    const { agent = "agent", title = "" } = this.#find(sessionId) ?? {};
    const name = previewText(visibleName(`${agent}: ${title}`), MAX_NAME_CHARS);
    this.#output.err(`  [${name}] ${visibleLines(text).replaceAll("\n", " ")}\n`);
  }
}
