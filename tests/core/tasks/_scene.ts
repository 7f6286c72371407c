import { join } from "node:path";
import { runCommand } from "../../../core/process/run_command.ts";
import { shellProgram } from "../../../core/process/shell_program.ts";
import { StreamRedactor } from "../../../core/process/stream_redactor.ts";
import { openSessionStore, type SessionStore } from "../../../core/session/session_store.ts";
import { BackgroundTasks, type TaskRequest } from "../../../core/tasks/background_tasks.ts";
import { withTempDir } from "../../support/temp.ts";

/** What `taskScene` gives a test. */
export interface TaskScene {
  readonly dir: string;
  readonly store: SessionStore;
  readonly tasks: BackgroundTasks;
  /** Makes a request that runs a line of shell in session `s`. */
  request(command: string, rest?: Partial<TaskRequest>): TaskRequest;
  /** Waits until a task has a status that is final. */
  ended(id: string): Promise<void>;
  /** Other tasks on the same record, as another process would have them. */
  open(): BackgroundTasks;
}

/** Session `s` in a temporary folder, with tasks of which two may run. */
export async function taskScene(fn: (scene: TaskScene) => Promise<void>): Promise<void> {
  await withTempDir(async (dir) => {
    const store = openSessionStore(join(dir, "sessions.sqlite"));
    const createdAt = Date.now();
    for (const id of ["s", "t"]) {
      store.createSession({ id, workspace: dir, model: "m", provider: "p", createdAt });
    }
    const open = () =>
      new BackgroundTasks({
        database: store.database,
        stateRoot: dir,
        workspace: dir,
        settings: () => ({
          enabled: true,
          maxPerSession: 2,
          maxRunMs: 60_000,
          maxOutputBytes: 65_536,
          retentionDays: 7,
        }),
        redact: (text) => text.replaceAll("sekrit-value", "[REDACTED]"),
      });
    const tasks = open();
    try {
      await fn({ dir, store, tasks, request, ended, open });
    } finally {
      await tasks.close();
      store.close();
    }

    function request(command: string, rest: Partial<TaskRequest> = {}): TaskRequest {
      return {
        sessionId: "s",
        command,
        spec: {
          ...shellProgram(command, { os: Deno.build.os, bash: null }),
          cwd: dir,
          env: { PATH: "/usr/bin:/bin" },
          createRedactor: () => new StreamRedactor(["sekrit-value"]),
        },
        run: runCommand,
        ...rest,
      };
    }

    async function ended(id: string): Promise<void> {
      const isOver = () => !tasks.live().some((task) => task.id === id);
      const over = Promise.withResolvers<void>();
      const leave = tasks.subscribe(() => {
        if (isOver()) over.resolve();
      });
      if (isOver()) over.resolve();
      await over.promise;
      leave();
    }
  });
}
