import type { KnownRunEvent, RunEvent } from "@alisio/sdk";
import { visibleName } from "../../core/process/visible_text.ts";
import { previewText } from "../../core/text/bound_text.ts";

/** After so long without an event, the silence is told. */
const QUIET_MS = 15_000;
/** After so long without an event, something may be wrong. */
const STUCK_MS = 60_000;
const MAX_PROGRESS_CHARS = 80;

/** What a run does at the moment, in words. */
export interface RunStateText {
  readonly activity: string;
  /** Since the activity began. */
  readonly elapsedMs: number;
  /** How long nothing was heard, where that is worth telling. */
  readonly silence?: { readonly ms: number; readonly isStuck: boolean };
}

interface Activity {
  readonly text: string;
  readonly since: number;
  /** Whether somebody else is waited for, so that silence says nothing. */
  readonly waits: boolean;
}

/** Follows the events of a run, and says what it does. */
export class RunState {
  readonly #now: () => number;
  #activity: Activity | undefined;
  #startedAt: number | undefined;
  #heardAt = 0;
  #progress = "";
  readonly #calls = new Map<string, string>();
  readonly #asked = new Set<string>();

  /** @param now The clock, in epoch milliseconds. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Begins with a run that waits for its first event. */
  begin(): void {
    this.#startedAt = this.#now();
    this.#heardAt = this.#startedAt;
    this.#calls.clear();
    this.#asked.clear();
    this.#become("waiting for the model");
  }

  /** Ends with it. */
  end(): void {
    this.#activity = undefined;
    this.#startedAt = undefined;
  }

  /** When the run began; undefined while none runs. */
  get startedAt(): number | undefined {
    return this.#startedAt;
  }

  /**
   * Takes in what happened.
   *
   * @param event An event of the run.
   */
  observe(event: RunEvent): void {
    this.#heardAt = this.#now();
    if (this.#startedAt !== undefined) this.#observe(event as KnownRunEvent);
  }

  /** What to show; undefined while nothing runs. */
  text(): RunStateText | undefined {
    const activity = this.#activity;
    if (activity === undefined) return undefined;
    const now = this.#now();
    const silenceMs = now - Math.max(this.#heardAt, activity.since);
    return {
      activity: this.#progress === "" ? activity.text : `${activity.text}: ${this.#progress}`,
      elapsedMs: now - activity.since,
      ...(activity.waits || silenceMs < QUIET_MS
        ? {}
        : { silence: { ms: silenceMs, isStuck: silenceMs >= STUCK_MS } }),
    };
  }

  #observe(event: KnownRunEvent): void {
    switch (event.type) {
      case "reasoning_delta":
        return this.#become("thinking");
      case "text_delta":
        return this.#become("writing the answer");
      case "tool_started":
        this.#calls.set(event.data.id, activityOf(event.data));
        return this.#followCalls();
      case "tool_progress":
        this.#progress = progressLine(event.data.data);
        return;
      case "approval_requested":
        this.#asked.add(event.data.id);
        return this.#followCalls();
      case "approval_resolved":
        this.#asked.delete(event.data.id);
        return this.#followCalls();
      case "tool_completed":
        this.#asked.delete(event.data.id);
        this.#calls.delete(event.data.id);
        return this.#followCalls();
      case "compaction_started":
        return this.#become("compacting context");
      case "compaction_completed":
      case "compaction_skipped":
      case "compaction_failed":
        return this.#followCalls();
      case "request_retry":
        return this.#become(
          `the model did not respond; retrying (${event.data.attempt}/${event.data.of})`,
        );
      case "truncation_recovery":
        return this.#become(
          "the response was cut off; retrying in smaller steps " +
            `(${event.data.attempt}/${event.data.of})`,
        );
    }
  }

  /** What is asked counts before what runs, and of what runs the newest. */
  #followCalls(): void {
    if (this.#asked.size > 0) return this.#become("waiting for your approval", { waits: true });
    const running = [...this.#calls.values()].at(-1);
    this.#become(running ?? "waiting for the model", {
      waits: running === ASKING || running === DELEGATING,
    });
  }

  #become(text: string, { waits = false }: { readonly waits?: boolean } = {}): void {
    if (this.#activity?.text === text) return;
    this.#progress = "";
    this.#activity = { text, since: this.#now(), waits };
  }
}

const ASKING = "waiting for your answer";
const DELEGATING = "a sub-agent is working";
/** Tools that wait for the work of an agent. */
const WAITS_FOR_AGENT: ReadonlySet<string> = new Set(["task", "task_wait"]);

/** Titles and names of files alone: a command or an address may hold what nobody should read. */
function activityOf({ name, arguments: json }: { name: string; arguments: string }): string {
  if (name === "ask_user_question") return ASKING;
  if (WAITS_FOR_AGENT.has(name)) return DELEGATING;
  const file = fileOf(json);
  return `running ${visibleName(name)}${file === undefined ? "" : ` (${file})`}`;
}

function fileOf(json: string): string | undefined {
  try {
    const input: unknown = JSON.parse(json);
    if (typeof input !== "object" || input === null || !("path" in input)) return undefined;
    const { path } = input;
    if (typeof path !== "string") return undefined;
    const name = path.split(/[/\\]/).findLast((part) => part !== "");
    return name === undefined ? undefined : previewText(visibleName(name), 40);
  } catch {
    return undefined;
  }
}

/** The last line that says something. */
function progressLine(data: unknown): string {
  const text = typeof data === "string"
    ? data
    : typeof data === "object" && data !== null && "text" in data && typeof data.text === "string"
    ? data.text
    : "";
  const line = text.split("\n").map((each) => each.trim()).findLast((each) => each !== "") ?? "";
  return previewText(visibleName(line), MAX_PROGRESS_CHARS);
}
