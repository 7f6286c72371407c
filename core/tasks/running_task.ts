import { errorMessage } from "../errors.ts";
import { CommandError } from "../process/command_error.ts";
import { processStart } from "../process/process_start.ts";
import type { CommandOutcome, CommandSpec, StartedProcess } from "../process/run_command.ts";
import type { BackgroundTask, StopOrigin } from "./background_task.ts";
import { guardTask, type TaskGuard } from "./task_guard.ts";
import type { TaskLog } from "./task_log.ts";
import type { TaskEnd, TaskStore } from "./task_store.ts";

/** Time between the request to end and the forced end. */
const KILL_GRACE_MS = 3_000;
/** The watchdog of the command itself is only there in case the one of the task fails. */
const SPARE_MS = 60_000;
/** Output goes to the log; in memory, only what explains a failed start is kept. */
const KEPT_BYTES = 4_096;
const MAX_ERROR_CHARS = 500;

/** What a task runs, up to what the task adds itself. */
export type TaskCommand = Omit<
  CommandSpec,
  | "timeoutMs"
  | "signal"
  | "onOutput"
  | "onStarted"
  | "killGraceMs"
  | "maxCaptureBytes"
  | "maxTerminalBytes"
  | "log"
  | "findEscaped"
>;

/** What a running task works with. */
export interface RunningTaskPorts {
  readonly task: BackgroundTask;
  readonly store: TaskStore;
  readonly log: TaskLog;
  readonly command: TaskCommand;
  /** Runs it, in a sandbox where one is in force. */
  readonly run: (spec: CommandSpec) => Promise<CommandOutcome>;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
}

/** A task of this process, from its start to its end. */
export class RunningTask {
  /** Settles when its end is recorded. Does not reject. */
  readonly ended: Promise<void>;
  readonly #ports: RunningTaskPorts;
  readonly #stop = new AbortController();
  readonly #started = Promise.withResolvers<void>();
  #guarding: Promise<TaskGuard | null> = Promise.resolve(null);
  #isOver = false;
  #startError: CommandError | undefined;

  /** @param ports What it works with; the task is recorded as `queued`. */
  constructor(ports: RunningTaskPorts) {
    this.#ports = ports;
    this.ended = this.#run();
  }

  /** The task as it was started. */
  get task(): BackgroundTask {
    return this.#ports.task;
  }

  /** Bytes of its log so far. */
  get outputBytes(): number {
    return this.#ports.log.bytes;
  }

  /** Whether its log leaves something out so far. */
  get isTruncated(): boolean {
    return this.#ports.log.isTruncated;
  }

  /**
   * Waits until it runs.
   *
   * @throws {CommandError} If it cannot be started.
   */
  async started(): Promise<void> {
    await Promise.race([this.#started.promise, this.ended]);
    if (this.#startError !== undefined) throw this.#startError;
  }

  /**
   * Asks it to end, and forces it later. Without effect once it has ended; the first who stops it
   * counts.
   *
   * @param origin Who wants that.
   * @throws {AlisioError} With a `database_*` code; it is stopped all the same.
   */
  stop(origin: StopOrigin): void {
    try {
      this.#ports.store.stop(this.task.id, origin);
    } finally {
      this.#stop.abort(new Error("The task is stopped"));
    }
  }

  async #run(): Promise<void> {
    const { task, log } = this.#ports;
    const watchdog = setTimeout(() => this.#stopLate(), task.timeoutMs);
    const end = await this.#runCommand();
    clearTimeout(watchdog);
    this.#isOver = true;
    log.close();
    await (await this.#guarding)?.dismiss();
    this.#record(end);
  }

  async #runCommand(): Promise<CommandOutcome | Error> {
    const { task, log, command, run } = this.#ports;
    try {
      return await run({
        ...command,
        timeoutMs: task.timeoutMs + SPARE_MS,
        signal: this.#stop.signal,
        findEscaped: true,
        killGraceMs: KILL_GRACE_MS,
        maxCaptureBytes: KEPT_BYTES,
        maxTerminalBytes: KEPT_BYTES,
        onStarted: (process) => this.#noteStart(process),
        onOutput: (bytes) => log.write(bytes),
      });
    } catch (error) {
      if (error instanceof CommandError) this.#startError = error;
      return error instanceof Error ? error : new Error(errorMessage(error));
    }
  }

  #noteStart(process: StartedProcess): void {
    try {
      this.#ports.store.start(this.task.id, process.pid, Date.now());
    } catch {
      // The task runs whether it can be recorded or not, and ends with this process.
    }
    this.#guarding = this.#guard(process).catch(() => null);
    this.#started.resolve();
  }

  async #guard({ pid, mark }: StartedProcess): Promise<TaskGuard | null> {
    const [start, known] = await Promise.all([processStart(pid), mark]);
    if (start === null || this.#isOver) return null;
    this.#ports.store.identify(this.task.id, start);
    return known === null ? null : guardTask({ pid, start, mark: known });
  }

  #stopLate(): void {
    try {
      this.stop("timeout");
    } catch {
      // It is being stopped; its end says whether that can be recorded.
    }
  }

  /** What cannot be recorded is found at the next start, as lost. */
  #record(outcome: CommandOutcome | Error): void {
    const { store, log, redact } = this.#ports;
    try {
      const now = store.find(this.task.id);
      if (now === undefined) return;
      const { error, ...end } = endOf(outcome, now);
      const reasons = [
        error,
        log.failure === undefined ? undefined : "its log could not be written to the end",
      ].filter((reason) => reason !== undefined);
      store.end(now.id, now.status, {
        ...end,
        ...(reasons.length === 0 ? {} : {
          error: redact(reasons.join("; ")).slice(0, MAX_ERROR_CHARS),
        }),
        isTruncated: log.isTruncated,
        outputBytes: log.bytes,
        endedAt: Date.now(),
      });
    } catch {
      // As above.
    }
  }
}

type EndFacts = Pick<TaskEnd, "status" | "exitCode" | "signal" | "errorCode" | "error">;

function endOf(outcome: CommandOutcome | Error, task: BackgroundTask): EndFacts {
  if (outcome instanceof Error) {
    if (task.status === "stopping") return { status: "cancelled" };
    return { status: "failed", errorCode: "start_failed", error: outcome.message };
  }
  const facts = {
    ...(outcome.exitCode === null ? {} : { exitCode: outcome.exitCode }),
    ...(outcome.signal === null ? {} : { signal: outcome.signal }),
    ...(outcome.leftBehind === "unknown"
      ? { error: "a process that it started may still be running" }
      : {}),
  };
  if (task.stoppedBy === "timeout" || outcome.endedBy === "timeout") {
    return { ...facts, status: "failed", errorCode: "timeout", ...lateError(task, facts) };
  }
  if (task.status === "stopping" || outcome.endedBy === "cancelled") {
    return { ...facts, status: "cancelled" };
  }
  return { ...facts, status: outcome.exitCode === 0 ? "succeeded" : "failed" };
}

function lateError(
  { timeoutMs }: BackgroundTask,
  { error }: Pick<EndFacts, "error">,
): Pick<EndFacts, "error"> {
  const late = `stopped at the time limit of ${timeoutMs} ms`;
  return { error: error === undefined ? late : `${late}; ${error}` };
}
