import type { KnownRunEvent, RunEvent } from "@alisio/sdk";
import { visibleText } from "../core/process/visible_text.ts";
import { previewText } from "../core/run/bound_text.ts";
import type { RunObserver } from "../core/run/run_events.ts";
import type { Output } from "./output.ts";

/**
 * Shows a run as text: the answer streams to standard output; what happens meanwhile goes to
 * standard error, and only when a person is there to see it. Control characters in anything that
 * a model or a tool wrote are shown, never obeyed.
 *
 * @param output Where it prints.
 * @param options Whether progress and hints are left out.
 */
export function createTextFrontEnd(
  output: Output,
  options: { readonly quiet: boolean },
): RunObserver {
  return new TextFrontEnd(output, options.quiet).observe;
}

/**
 * Shows a run as JSON lines, one event each, and nothing else.
 *
 * @param output Where it prints.
 */
export function createJsonFrontEnd(output: Output): RunObserver {
  return (event) => output.out(`${JSON.stringify(event)}\n`);
}

class TextFrontEnd {
  readonly #output: Output;
  readonly #quiet: boolean;
  readonly #progress: boolean;
  /** Whether the answer's last line is still open. */
  #lineIsOpen = false;
  #remedies = new Set<string>();

  constructor(output: Output, quiet: boolean) {
    this.#output = output;
    this.#quiet = quiet;
    this.#progress = output.errIsTerminal && !quiet;
  }

  readonly observe = (event: RunEvent): void => this.#show(event as KnownRunEvent);

  #show(event: KnownRunEvent): void {
    switch (event.type) {
      case "text_delta":
        this.#answer(event.data.delta);
        return;
      case "turn_completed":
        this.#endLine();
        return;
      case "tool_started":
        this.#say(`→ ${event.data.name} ${previewText(event.data.arguments, 100)}`);
        return;
      case "tool_completed":
        this.#toolCompleted(event.data);
        return;
      case "request_retry":
        this.#note(
          `Asking again in ${Math.round(event.data.afterMs)} ms (${event.data.reason}, ` +
            `${event.data.attempt} of ${event.data.of})`,
        );
        return;
      case "truncation_recovery":
        this.#note(`The reply was not usable (${event.data.reason}); asking again`);
        return;
      case "run_warning":
        this.#note(`Warning: ${event.data.message}`);
        return;
      case "response_truncated":
        this.#note(
          `The answer was cut at ${event.data.maxOutputTokens} tokens (${event.data.source}); ` +
            'raise "limits.maxOutputTokens" for more',
        );
        return;
      case "run_completed":
      case "run_failed":
      case "run_cancelled":
      case "run_turns_exceeded":
        this.#endLine();
        return;
      default:
        return;
    }
  }

  #toolCompleted(data: Extract<KnownRunEvent, { type: "tool_completed" }>["data"]): void {
    const outcome = data.refused !== undefined ? "refused" : data.isError ? "failed" : "done";
    this.#say(`  ${outcome} in ${data.durationMs} ms`);
    const remedy = data.refused?.remedy;
    if (remedy === undefined) return;
    const text = `Refused "${data.name}" (${data.refused?.matched}): to permit it, ${remedy}`;
    if (this.#remedies.has(text)) return;
    this.#remedies.add(text);
    this.#note(text);
  }

  #answer(delta: string): void {
    if (delta === "") return;
    this.#output.out(visibleText(delta));
    this.#lineIsOpen = !delta.endsWith("\n");
  }

  /** A line about progress, for a terminal alone. */
  #say(text: string): void {
    if (!this.#progress) return;
    this.#endLine();
    this.#output.err(`${visibleText(text).replaceAll("\n", " ")}\n`);
  }

  /** A line that matters in a log too. */
  #note(text: string): void {
    if (this.#quiet) return;
    this.#endLine();
    this.#output.err(`${visibleText(text)}\n`);
  }

  #endLine(): void {
    if (!this.#lineIsOpen) return;
    this.#lineIsOpen = false;
    this.#output.out("\n");
  }
}
