import type { TaskSettings } from "../config/configuration.ts";
import { join } from "../paths/path.ts";
import type { CommandOutcome, CommandSpec } from "../process/run_command.ts";
import type { Database } from "../session/database.ts";
import { previewText } from "../text/bound_text.ts";
import {
  type BackgroundTask,
  isLive,
  type StopOrigin,
  type TaskStatus,
} from "./background_task.ts";
import { createUlid } from "./create_ulid.ts";
import { readTaskLog } from "./read_task_log.ts";
import { reapLost } from "./reap_lost.ts";
import { RunningTask, type TaskCommand } from "./running_task.ts";
import { sweepTasks } from "./sweep_tasks.ts";
import { TaskLog, taskLogPath } from "./task_log.ts";
import { TaskOwner } from "./task_owner.ts";
import { TaskStore } from "./task_store.ts";

/** Tasks that one process of Alisio runs at once. */
export const MAX_LIVE_TASKS = 16;
const MAX_LABEL_CHARS = 80;

/** What background tasks work with. */
export interface BackgroundTasksPorts {
  /** The session database. */
  readonly database: Database;
  /** The state folder. */
  readonly stateRoot: string;
  /** Real path of the workspace. */
  readonly workspace: string;
  /** The settings; asked for at each start. */
  readonly settings: () => TaskSettings;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
}

/** A task to start. */
export interface TaskRequest {
  /** The session whose call starts it. */
  readonly sessionId: string;
  /** The command line, as it is shown. */
  readonly command: string;
  /** What it is called; the beginning of the command otherwise. */
  readonly label?: string;
  /** When it is stopped; the configured limit otherwise, and at most. */
  readonly timeoutMs?: number;
  /** What is run. */
  readonly spec: TaskCommand;
  /** Runs it. */
  readonly run: (spec: CommandSpec) => Promise<CommandOutcome>;
}

/** A part of the output of a task. */
export interface TaskOutput {
  readonly task: BackgroundTask;
  readonly text: string;
  /** Byte of the log where the next part begins. */
  readonly nextOffset: number;
  /** Whether the task has ended and nothing follows. */
  readonly isAtEnd: boolean;
}

/** Why a task cannot be started, found or stopped, in words for the model. */
export class TaskRefusal extends Error {
  /** Always `TaskRefusal`. */
  override readonly name = "TaskRefusal";
}

/** The background tasks of this process, and the record of all of them. */
export class BackgroundTasks {
  readonly #ports: BackgroundTasksPorts;
  readonly #store: TaskStore;
  readonly #owner: TaskOwner;
  readonly #running = new Map<string, RunningTask>();
  readonly #listeners = new Set<(task: BackgroundTask) => void>();
  #isClosing = false;

  /** @param ports What they work with. */
  constructor(ports: BackgroundTasksPorts) {
    this.#ports = ports;
    this.#store = new TaskStore(ports.database);
    this.#owner = new TaskOwner(ports.stateRoot);
  }

  /** The tasks of this process that have not ended. */
  live(): readonly BackgroundTask[] {
    return [...this.#running.values()].map(({ task }) => this.#withLog(task));
  }

  /**
   * Starts a task.
   *
   * @param request The task.
   * @returns The task, which runs.
   * @throws {TaskRefusal} If there are too many, or tasks are switched off.
   * @throws {CommandError} If its command cannot be started.
   */
  async start(request: TaskRequest): Promise<BackgroundTask> {
    const settings = this.#ports.settings();
    this.#assertRoom();
    const task = this.#create(request, settings);
    const { redact, stateRoot } = this.#ports;
    let log: TaskLog;
    try {
      log = new TaskLog(join(stateRoot, task.logPath), settings.maxOutputBytes);
    } catch (error) {
      this.#store.end(task.id, "queued", {
        status: "failed",
        errorCode: "log_failed",
        isTruncated: false,
        outputBytes: 0,
        endedAt: Date.now(),
      });
      throw error;
    }
    const { spec: command, run } = request;
    const running = new RunningTask({ task, store: this.#store, log, command, run, redact });
    this.#running.set(task.id, running);
    void running.ended.then(() => this.#noteEnd(task.id));
    await running.started();
    this.#tell(task.id);
    return this.#current(task);
  }

  /**
   * Tasks of a session's tree, the newest first.
   *
   * @param sessionId The session.
   * @param query Which of them.
   */
  list(
    sessionId: string,
    query: { readonly status?: TaskStatus; readonly limit: number },
  ): readonly BackgroundTask[] {
    return this.#store.list(this.#store.rootOf(sessionId), query)
      .map((task) => this.#withLog(task));
  }

  /**
   * A task of a session's tree.
   *
   * @param sessionId The session.
   * @param id The task.
   * @throws {TaskRefusal} If there is none, or it belongs to another session.
   */
  find(sessionId: string, id: string): BackgroundTask {
    const task = this.#store.find(id);
    if (task === undefined || task.rootSessionId !== this.#store.rootOf(sessionId)) {
      const shown = JSON.stringify(previewText(id, 60));
      throw new TaskRefusal(
        `Task ${shown} not found in this session; bg_list shows those there are`,
      );
    }
    return this.#withLog(task);
  }

  /**
   * Reads a part of what a task printed.
   *
   * @param sessionId The session.
   * @param id The task.
   * @param range Where the part begins, and its most bytes.
   * @throws {TaskRefusal} If there is no such task.
   */
  async read(
    sessionId: string,
    id: string,
    range: { readonly offset: number; readonly limit: number },
  ): Promise<TaskOutput> {
    const task = this.find(sessionId, id);
    const path = join(this.#ports.stateRoot, task.logPath);
    const page = await readTaskLog(path, { ...range, isEnded: !isLive(task) });
    return { task, ...page };
  }

  /**
   * Stops a task, and waits for its end.
   *
   * @param sessionId The session.
   * @param id The task.
   * @param origin Who stops it.
   * @returns The task, ended; as it was, if it had ended before.
   * @throws {TaskRefusal} If there is no such task, or another process of Alisio runs it.
   */
  async stop(sessionId: string, id: string, origin: StopOrigin): Promise<BackgroundTask> {
    const task = this.find(sessionId, id);
    const running = this.#running.get(id);
    if (running !== undefined) {
      running.stop(origin);
      this.#tell(id);
      await running.ended;
    } else if (isLive(task)) {
      throw new TaskRefusal(
        `Cannot stop task "${id}": another process of Alisio (${task.ownerPid}) runs it; stop it there`,
      );
    }
    return this.#current(task);
  }

  /**
   * Notes that the model has seen the end of tasks.
   *
   * @param tasks The tasks that it was shown; those that run still are left alone.
   */
  markSeen(tasks: readonly BackgroundTask[]): void {
    const unseen = tasks.filter((task) => !isLive(task) && task.deliveredAt === undefined);
    if (unseen.length > 0) this.#store.deliver(unseen.map(({ id }) => id), Date.now());
  }

  /**
   * Notes that the model is about to be told of the end of tasks.
   *
   * @param ids The tasks.
   * @returns Takes it back, and those that it had not known of.
   */
  claim(ids: readonly string[]): {
    readonly tasks: readonly BackgroundTask[];
    readonly release: () => void;
  } {
    const at = Date.now();
    const claimed = this.#store.deliver(ids, at);
    const tasks = claimed.map((id) => this.#store.find(id)).filter((task) => task !== undefined);
    return { tasks, release: () => this.#store.undeliver(claimed, at) };
  }

  /**
   * Whether the model of a session is told of the end of a task.
   *
   * @param task The task, as it is now.
   */
  isAnnounced(task: BackgroundTask): boolean {
    const endedByItself = task.status === "succeeded" || task.status === "failed";
    return endedByItself && task.errorCode !== "start_failed" && task.deliveredAt === undefined &&
      task.sessionId === task.rootSessionId && !this.#store.isArchived(task.rootSessionId);
  }

  /**
   * Is told of each task that starts, is being stopped or has ended.
   *
   * @param listener Must not throw.
   * @returns Takes it back.
   */
  subscribe(listener: (task: BackgroundTask) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Marks tasks as lost whose process of Alisio died, and returns them. */
  async reap(): Promise<readonly BackgroundTask[]> {
    return await reapLost(this.#store, this.#ports.stateRoot);
  }

  /** Deletes tasks, with their logs, that ended longer ago than the configuration wants. */
  sweep(): void {
    const { retentionDays } = this.#ports.settings();
    sweepTasks(this.#store, this.#ports.stateRoot, { retentionDays, nowMs: Date.now() });
  }

  /** Stops what runs, waits for it, and takes no more. Safe to call twice. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const running = [...this.#running.values()];
    for (const each of running) {
      try {
        each.stop("shutdown");
      } catch {
        // It is stopped; the next start finds it lost.
      }
    }
    await Promise.all(running.map(({ ended }) => ended));
    this.#owner.release();
  }

  #assertRoom(): void {
    if (this.#isClosing) throw new TaskRefusal("Cannot start a task: Alisio is closing");
    if (this.#running.size < MAX_LIVE_TASKS) return;
    throw new TaskRefusal(
      `Cannot start a task: ${MAX_LIVE_TASKS} run in this process of Alisio, and no more may; ` +
        "stop one with bg_stop, or wait for one to end",
    );
  }

  #create(request: TaskRequest, settings: TaskSettings): BackgroundTask {
    this.#owner.hold();
    const { redact, workspace } = this.#ports;
    const id = createUlid(Date.now());
    const rootSessionId = this.#store.rootOf(request.sessionId);
    const command = redact(request.command);
    const isCreated = this.#store.create({
      id,
      sessionId: request.sessionId,
      rootSessionId,
      workspace,
      label: labelOf(redact(request.label ?? ""), command),
      command,
      cwd: request.spec.cwd,
      ownerPid: Deno.pid,
      ownerToken: this.#owner.token,
      timeoutMs: Math.min(request.timeoutMs ?? settings.maxRunMs, settings.maxRunMs),
      logPath: taskLogPath(rootSessionId, id),
      createdAt: Date.now(),
    }, settings.maxPerSession);
    const task = isCreated ? this.#store.find(id) : undefined;
    if (task !== undefined) return task;
    throw new TaskRefusal(
      `Cannot start a task: ${settings.maxPerSession} run in this session, and no more may ` +
        '("tasks.maxPerSession"); stop one with bg_stop, or wait for one to end',
    );
  }

  #noteEnd(id: string): void {
    this.#running.delete(id);
    this.#tell(id);
  }

  #tell(id: string): void {
    try {
      const task = this.#store.find(id);
      if (task !== undefined) { for (const listener of this.#listeners) listener(task); }
    } catch {
      // The record is lost, which whoever needs it says.
    }
  }

  #current(task: BackgroundTask): BackgroundTask {
    return this.#withLog(this.#store.find(task.id) ?? task);
  }

  /** What grows is not recorded before the end. */
  #withLog(task: BackgroundTask): BackgroundTask {
    const running = this.#running.get(task.id);
    if (running === undefined || !isLive(task)) return task;
    const { outputBytes, isTruncated } = running;
    return { ...task, outputBytes, isTruncated };
  }
}

function labelOf(label: string, command: string): string {
  const words = (label.trim() === "" ? command : label).replaceAll(/\s+/g, " ").trim();
  return words.length <= MAX_LABEL_CHARS ? words : previewText(words, MAX_LABEL_CHARS - 1);
}
