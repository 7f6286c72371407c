import type { KnownRunEvent, RunEvent } from "@alisio/sdk";
import type { Application } from "../../core/application.ts";

/** The tool that asks the person, and is waited for as an approval is. */
const ASKING = "ask_user_question";

/** What is told of child sessions. */
export interface ChildWatchPorts {
  /** Sees each event of each child. */
  readonly observe: (event: RunEvent) => void;
  /** A wait for the screen, while it is behind. */
  readonly drained: () => Promise<void> | undefined;
}

/** Follows the children of whatever application is open, and knows which of them wait for an answer. */
export class ChildWatch {
  readonly #ports: ChildWatchPorts;
  #application: Application | undefined;
  #leave: () => void = () => {};
  /** Calls that wait, by session. */
  readonly #asking = new Map<string, Set<string>>();

  /** @param ports What is told. */
  constructor(ports: ChildWatchPorts) {
    this.#ports = ports;
  }

  /** Sessions that are blocked on an answer of the person. */
  get waiting(): ReadonlySet<string> {
    return new Set(this.#asking.keys());
  }

  /**
   * Follows the children of an application from now on, and of no other one.
   *
   * @param application The application that is open.
   */
  follow(application: Application | undefined): void {
    if (application === this.#application) return;
    this.#leave();
    this.#asking.clear();
    this.#application = application;
    this.#leave = application?.children?.watch(
      (event) => this.#observe(event),
      this.#ports.drained,
    ) ?? (() => {});
  }

  /** Follows nothing any more. */
  close(): void {
    this.follow(undefined);
  }

  #observe(event: RunEvent): void {
    this.#note(event.sessionId, event as KnownRunEvent);
    this.#ports.observe(event);
  }

  #note(sessionId: string, event: KnownRunEvent): void {
    switch (event.type) {
      case "tool_started":
        if (event.data.name === ASKING) this.#begin(sessionId, event.data.id);
        return;
      case "approval_requested":
        return this.#begin(sessionId, event.data.id);
      case "approval_resolved":
      case "tool_completed":
        return this.#end(sessionId, event.data.id);
      case "run_started":
      case "run_completed":
      case "run_turns_exceeded":
      case "run_failed":
      case "run_cancelled":
        this.#asking.delete(sessionId);
    }
  }

  #begin(sessionId: string, callId: string): void {
    const calls = this.#asking.get(sessionId) ?? new Set();
    this.#asking.set(sessionId, calls.add(callId));
  }

  #end(sessionId: string, callId: string): void {
    const calls = this.#asking.get(sessionId);
    if (calls?.delete(callId) === true && calls.size === 0) this.#asking.delete(sessionId);
  }
}
