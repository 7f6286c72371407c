import type { HerdrPane } from "./pane.ts";
import { type HerdrRun, type HerdrRunOptions, runHerdr } from "./run_herdr.ts";

/** What an agent does, in the words of Herdr. */
export type AgentState = "idle" | "working" | "blocked";

/** One report. */
export interface StateReport {
  readonly state: AgentState;
  /** The session, once there is one. */
  readonly session?: string;
  /** Why it is blocked. */
  readonly message?: string;
}

/** What a reporter needs from around it. */
export interface PaneReporterPorts {
  /** Runs Herdr's program. */
  readonly run?: typeof runHerdr;
  /**
   * Milliseconds since the epoch. Where a later Alisio reports for the same pane, its numbers must
   * be higher.
   */
  readonly now?: () => number;
  /** Is told once if reports do not arrive. */
  readonly say: (notice: string) => void;
}

/** How long one report may take. */
const REPORT_TIMEOUT_MS = 3_000;
/** How long it may take, and after it the release, once Alisio closes. */
const CLOSE_TIMEOUT_MS = 900;
const MAX_MESSAGE_CHARS = 200;
const IDENTITY = ["--source", "custom:alisio", "--agent", "alisio"] as const;

/**
 * Tells Herdr what Alisio does in a pane: one report at a time, each with a higher number than the
 * one before. While one is under way only the newest of those that follow is kept, because the
 * others are no longer true. Nothing of it ever throws.
 */
export class PaneReporter {
  readonly #pane: HerdrPane;
  readonly #ports: Required<PaneReporterPorts>;
  #waiting: StateReport | null = null;
  #sending: Promise<void> | null = null;
  #hasReported = false;
  #isClosed = false;
  #hasSaid = false;
  readonly #hurry = new AbortController();
  #sequence = 0;

  /**
   * Reports nothing yet.
   *
   * @param pane The pane.
   * @param ports What it needs.
   */
  constructor(pane: HerdrPane, { run = runHerdr, now = Date.now, say }: PaneReporterPorts) {
    this.#pane = pane;
    this.#ports = { run, now, say };
  }

  /**
   * Reports a state, soon.
   *
   * @param report The state.
   */
  report(report: StateReport): void {
    if (this.#isClosed) return;
    this.#waiting = report;
    this.#sending ??= this.#send();
  }

  /** Waits for the report that is under way, then hands the pane back, if it was ever taken. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#waiting = null;
    const timer = setTimeout(() => this.#hurry.abort(), CLOSE_TIMEOUT_MS);
    await this.#sending;
    clearTimeout(timer);
    if (!this.#hasReported) return;
    await this.#run(["pane", "release-agent", this.#pane.id, ...IDENTITY, ...this.#next()], {
      timeoutMs: CLOSE_TIMEOUT_MS,
    });
  }

  async #send(): Promise<void> {
    for (let report = this.#take(); report !== null; report = this.#take()) {
      this.#hasReported = true;
      const { state, session, message } = report;
      await this.#run([
        ...["pane", "report-agent", this.#pane.id, ...IDENTITY, "--state", state],
        ...this.#next(),
        ...session === undefined ? [] : ["--agent-session-id", session],
        ...message === undefined ? [] : ["--message", shortened(message)],
      ], { timeoutMs: REPORT_TIMEOUT_MS, signal: this.#hurry.signal });
    }
    this.#sending = null;
  }

  #take(): StateReport | null {
    const report = this.#waiting;
    this.#waiting = null;
    return report;
  }

  #next(): readonly string[] {
    this.#sequence = Math.max(this.#sequence + 1, this.#ports.now());
    return ["--seq", String(this.#sequence)];
  }

  async #run(args: readonly string[], options: HerdrRunOptions): Promise<void> {
    const failure = failureOf(await this.#ports.run(this.#pane, args, options));
    if (failure === null || this.#hasSaid) return;
    this.#hasSaid = true;
    this.#ports.say(
      `Cannot report to Herdr what Alisio does: ${failure}; the work goes on, and --no-herdr ` +
        "leaves the reports out",
    );
  }
}

function failureOf(run: HerdrRun): string | null {
  if (run.status !== "ended") return run.reason;
  if (run.code === 0) return null;
  const said = shortened(run.stderr);
  return `its program ended with status ${run.code}${said === "" ? "" : ` and said: ${said}`}`;
}

function shortened(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  const characters = [...line];
  return characters.length <= MAX_MESSAGE_CHARS
    ? line
    : `${characters.slice(0, MAX_MESSAGE_CHARS - 1).join("")}…`;
}
