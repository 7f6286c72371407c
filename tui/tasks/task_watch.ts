import type { RunEvent } from "@alisio/sdk";
import type { Application } from "../../core/application.ts";
import type { TaskNotice } from "../../core/tasks/task_notice.ts";
import type { TaskNotices } from "../../core/tasks/task_notices.ts";

/** What tells a conversation of its tasks works with. */
export interface TaskWatchPorts {
  /** The application, once it is open. */
  readonly application: () => Application | undefined;
  /** The session, while it is idle. */
  readonly idleSession: () => string | undefined;
  /** Runs a prompt of the program's own, to its end. Does not reject. */
  readonly send: (notice: TaskNotice) => Promise<void>;
}

/** Tasks of one session that may have ended before anybody listened. */
const MAX_MISSED = 50;

/** Wakes the conversation when its background tasks end. Loads nothing before the first of them. */
export class TaskWatch {
  readonly #ports: TaskWatchPorts;
  #application: Application | undefined;
  #notices: TaskNotices | undefined;
  #hasStarted = false;

  /** @param ports What it works with. */
  constructor(ports: TaskWatchPorts) {
    this.#ports = ports;
  }

  /**
   * Sees an event of a run.
   *
   * @param event The event.
   */
  observe(event: RunEvent): void {
    if (event.type === "run_started") this.#hasStarted = true;
    if (event.type === "tool_started" && event.data.name === "bg_run") {
      void this.#begin(event.sessionId);
    }
  }

  /** Looks for what waits: a run has ended, or another session is open. */
  noteIdle(): void {
    this.#notices?.noteIdle();
  }

  /** Tells nothing any more. */
  close(): void {
    this.#notices?.close();
  }

  async #begin(sessionId: string): Promise<void> {
    const application = this.#ports.application();
    if (application === undefined || application === this.#application) return;
    this.#application = application;
    this.#notices?.close();
    try {
      const [tasks, { TaskNotices }] = await Promise.all([
        application.tasks(),
        import("../../core/tasks/task_notices.ts"),
      ]);
      const { idleSession } = this.#ports;
      const notices = new TaskNotices({ tasks, idleSession, wake: (notice) => this.#wake(notice) });
      this.#notices = notices;
      // A short one may have ended before.
      const ours = tasks.list(sessionId, { limit: MAX_MISSED })
        .filter(({ ownerPid }) => ownerPid === Deno.pid);
      for (const task of ours) notices.note(task);
    } catch {
      // The tool that needs the same code says what is wrong with it.
      this.#application = undefined;
    }
  }

  async #wake(notice: TaskNotice): Promise<boolean> {
    this.#hasStarted = false;
    await this.#ports.send(notice);
    return this.#hasStarted;
  }
}
