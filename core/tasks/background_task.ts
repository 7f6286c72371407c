/** Where a task stands. The last four are final and never left. */
export type TaskStatus =
  | "queued"
  | "running"
  | "stopping"
  | "succeeded"
  | "failed"
  | "cancelled"
  | "lost";

/**
 * How a model learns that its tasks ended: it is woken by a run of its own, told after its answer,
 * or not at all; `untold` tasks outlast the run, `never` ones end with it.
 */
export type TaskEndNotice = "woken" | "at_end" | "untold" | "never";

/** Who or what stopped a task. */
export type StopOrigin = "user" | "model" | "timeout" | "shutdown";

/** Every status, in the order in which a task may pass through them. */
export const TASK_STATUSES: readonly TaskStatus[] = [
  "queued",
  "running",
  "stopping",
  "succeeded",
  "failed",
  "cancelled",
  "lost",
];

const LIVE: ReadonlySet<TaskStatus> = new Set(["queued", "running", "stopping"]);

/** A command that runs beside the conversation, as the record has it. */
export interface BackgroundTask {
  /** ULID. */
  readonly id: string;
  /** The session whose call started it. */
  readonly sessionId: string;
  /** The session at the root of that one's tree, which the task belongs to. */
  readonly rootSessionId: string;
  /** Real path of the workspace. */
  readonly workspace: string;
  /** What people and the model call it. */
  readonly label: string;
  /** The command line. */
  readonly command: string;
  /** Absolute path of the folder that it runs in. */
  readonly cwd: string;
  readonly status: TaskStatus;
  /** Present when it ended by itself. */
  readonly exitCode?: number;
  /** The signal that ended it, if one did. */
  readonly signal?: string;
  /** Leader of its process group; absent before it runs. */
  readonly pid?: number;
  /** Tells that process from a later one of the same id; absent where it could not be found out. */
  readonly processStart?: string;
  /** The process of Alisio that started it. */
  readonly ownerPid: number;
  /** Names the lock that this process holds as long as it lives. */
  readonly ownerToken: string;
  readonly stoppedBy?: StopOrigin;
  /** Why it failed, where its exit status does not say it. */
  readonly errorCode?: string;
  /** The same in words. */
  readonly error?: string;
  /** When it is stopped, counted from its start. */
  readonly timeoutMs: number;
  /** Whether its log leaves something out. */
  readonly isTruncated: boolean;
  /** Path of its log, below the state folder. */
  readonly logPath: string;
  /** Bytes of its log. */
  readonly outputBytes: number;
  /** When the model learned of its end; epoch milliseconds, as the times below. */
  readonly deliveredAt?: number;
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly endedAt?: number;
}

/**
 * Whether a task has not ended yet.
 *
 * @param task The task.
 */
export function isLive({ status }: Pick<BackgroundTask, "status">): boolean {
  return LIVE.has(status);
}
