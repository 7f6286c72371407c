import type { Usage } from "./provider.ts";

/** How a session is doing. */
export type SessionStatus =
  | "queued"
  | "running"
  | "completed"
  | "failed"
  | "cancelled"
  | "interrupted";

/** What a session may do. */
export interface SessionCapabilities {
  /** Whether it may change files. */
  readonly write: boolean;
  /** Whether it may start programs. */
  readonly process: boolean;
  /** Whether a person can be asked. */
  readonly approvals: boolean;
  /** Whether it only reads. */
  readonly readOnly: boolean;
}

/** A conversation of its own that is worked on for another one. It can only do less than that. */
export interface ChildSessionSpec {
  /** The session that it works for. */
  readonly parentId: string;
  /** Its id; made up unless it is given. */
  readonly id?: string;
  /** What people see. */
  readonly title: string;
  /** Who works in it, as people see it. */
  readonly agent: string;
  /** More instructions. */
  readonly instructions?: string;
  /** Tools of the parent that it has; `*` is all of them. */
  readonly tools?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  /** Another model than the parent's. */
  readonly model?: string;
  /** Whether it only reads. */
  readonly readOnly?: boolean;
  /** What happens with calls of these effects. */
  readonly permission?: {
    readonly write?: "allow" | "ask" | "deny";
    readonly process?: "allow" | "ask" | "deny";
  };
  /** Another workspace, such as a worktree. */
  readonly workspace?: string;
  /** Most turns of one run. */
  readonly maxTurns?: number;
  /** Longest time of one run. */
  readonly timeoutMs?: number;
  /** Most tokens of one run. */
  readonly maxTokens?: number;
  /** Most tokens of one response. */
  readonly maxOutputTokens?: number;
}

/** What is known of a child session. */
export interface ChildSessionInfo {
  /** Its id. */
  readonly id: string;
  /** The session that it works for. */
  readonly parentId: string;
  /** How many sessions stand above it. */
  readonly depth: number;
  /** Who works in it. */
  readonly agent: string;
  /** What people see. */
  readonly title: string;
  /** How it is doing. */
  readonly status: SessionStatus;
  /** Its model. */
  readonly model: string;
  /** Its workspace. */
  readonly workspace: string;
  /** Tokens that it used. */
  readonly usage: Usage;
  /** What it may do. */
  readonly capabilities: SessionCapabilities;
  /** What it was to have and has not, because its parent has it not; one sentence each. */
  readonly narrowed?: readonly string[];
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds. */
  readonly updatedAt: number;
}

/** How a run of a child session ended. */
export interface ChildRunResult {
  /** Its id. */
  readonly id: string;
  /** How it ended; running out of turns is no failure. */
  readonly status: SessionStatus;
  /** What it answered. */
  readonly text: string;
  /** Tokens of the run. */
  readonly usage: Usage;
  /** Whether it ran out of turns, and the text is what it had by then. */
  readonly turnsExceeded?: boolean;
  /** Why it failed. */
  readonly error?: string;
}

/**
 * Child sessions, for delegated work.
 *
 * @example A second opinion, where the host has it
 * ```ts
 * import { definePlugin, textResult } from "@alisio/sdk";
 *
 * export default definePlugin({
 *   id: "acme.review",
 *   version: "0.1.0",
 *   apiVersion: 1,
 *   setup(api) {
 *     const { sessions } = api;
 *     if (sessions === undefined) return;
 *     api.tools.register({
 *       name: "second_opinion",
 *       description: "Asks another session to review a file.",
 *       inputSchema: { type: "object", properties: { path: { type: "string" } } },
 *       async execute({ path }, { session, signal }) {
 *         if (session === undefined) return textResult("There is no session", true);
 *         const child = sessions.spawn({
 *           parentId: session,
 *           title: `Review ${path}`,
 *           agent: "reviewer",
 *           readOnly: true,
 *         });
 *         const { text, status } = await sessions.run(child.id, `Review ${path}`, { signal });
 *         return textResult(text, status !== "completed");
 *       },
 *     });
 *   },
 * });
 * ```
 */
export interface PluginSessions {
  /**
   * Makes a child session with the parent's model.
   *
   * @param spec What it is to be.
   */
  spawn(spec: ChildSessionSpec): ChildSessionInfo;
  /**
   * Makes a child session with a model of its own.
   *
   * @param spec What it is to be.
   */
  create(spec: ChildSessionSpec): Promise<ChildSessionInfo>;
  /**
   * Runs one prompt in it.
   *
   * @param id Its id.
   * @param prompt What is asked for.
   * @param options What stops it.
   */
  run(
    id: string,
    prompt: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<ChildRunResult>;
  /**
   * What is known of one.
   *
   * @param id Its id.
   */
  get(id: string): ChildSessionInfo | undefined;
  /**
   * Those that work for a session.
   *
   * @param parentId The session.
   */
  children(parentId: string): readonly ChildSessionInfo[];
  /**
   * Ids of the sessions above one, the nearest first.
   *
   * @param id Its id.
   */
  ancestors(id: string): readonly string[];
  /**
   * Stops a run and all that run for it.
   *
   * @param id Its id.
   * @returns How many were running.
   */
  cancel(id: string): number;
  /**
   * Adds a message for its next turn, or its next run.
   *
   * @param id Its id.
   * @param text The message.
   */
  enqueue(id: string, text: string): void;
  /**
   * Says that something is still to be done for a child: it waits to be run, or its result is being
   * looked after. A program that is asked to wait for background work waits for that too.
   *
   * @param id Its id.
   * @returns Says that it is done. Safe to call twice.
   */
  hold?(id: string): () => void;
  /**
   * Takes messages back that still wait for a turn.
   *
   * @param id The session that they were added for.
   * @param start What they begin with.
   * @returns How many were taken back.
   */
  withdraw?(id: string, start: string): number;
  /**
   * How the last run of a child ended, also after another start of the program.
   *
   * @param id Its id.
   * @returns Undefined if none has ended.
   */
  lastResult?(id: string): ChildRunResult | undefined;
  /**
   * Why a child cannot go on before a person has looked at it.
   *
   * @param id Its id.
   * @returns What it is and what to do, for the person; undefined if it can.
   */
  blocker?(id: string): string | undefined;
  /**
   * Whether it runs.
   *
   * @param id Its id.
   */
  isRunning(id: string): boolean;
  /**
   * What a session may do.
   *
   * @param id Its id.
   */
  capabilities(id: string): SessionCapabilities;
  /**
   * The model that a new child of a session would have.
   *
   * @param id Its id.
   */
  model(id: string): string;
  /**
   * The workspace of a session.
   *
   * @param id Its id.
   */
  workspace(id: string): string;
  /**
   * Why no child can have a workspace outside that of its parent, such as a worktree.
   *
   * @returns One sentence without its end; undefined if a child can.
   */
  fixedWorkspace?(): string | undefined;
  /**
   * Says how one is doing.
   *
   * @param id Its id.
   * @param status How.
   */
  setStatus(id: string, status: SessionStatus): void;
}
