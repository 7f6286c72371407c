import type { PanelNode, RunEvent, SessionStatus } from "@alisio/sdk";

/** A task as the tree of agents knows it. */
export interface TreeTask {
  readonly id: string;
  readonly parentId: string;
  /** The session at the top. */
  readonly rootId: string;
  readonly agent: string;
  readonly title: string;
  readonly color?: string;
  readonly state: SessionStatus;
  readonly isBackground: boolean;
  /** Epoch milliseconds. */
  readonly startedAt?: number;
  /** Epoch milliseconds. */
  readonly endedAt?: number;
}

interface Activity {
  /** Tokens of the run that goes on. */
  tokens: number;
  /** Tokens of earlier runs. */
  earlier: number;
  now: string;
  /** The call that a person was asked about last. */
  asked: string;
}

const MAX_LINE_CHARS = 120;
const LABEL_FIELDS = ["path", "pattern", "command", "url", "query", "name", "description"] as const;

/** What agents do at this moment, from their tasks and the events of their runs. */
export class TaskTree {
  readonly #tasks: () => Iterable<TreeTask>;
  readonly #activities = new Map<string, Activity>();

  /** @param tasks The tasks that there are at a moment. */
  constructor(tasks: () => Iterable<TreeTask>) {
    this.#tasks = tasks;
  }

  /**
   * Notes what an event says of an agent.
   *
   * @param event The event, of any session.
   */
  observe(event: RunEvent): void {
    const activity = this.#activities.get(event.sessionId);
    if (activity === undefined) return;
    switch (event.type) {
      case "run_started":
        activity.earlier += activity.tokens;
        activity.tokens = 0;
        activity.now = "";
        return;
      case "turn_completed":
        activity.tokens = Number(event.data.tokens) || 0;
        return;
      case "tool_started":
        activity.now = line(`${event.data.name} ${labelOf(String(event.data.arguments))}`);
        return;
      case "approval_requested":
        activity.asked = `${event.data.name} ${event.data.label ?? ""}`;
        activity.now = line(`waits for an answer: ${activity.asked}`);
        return;
      case "approval_resolved":
        activity.now = line(activity.asked);
        return;
      case "compaction_started":
        activity.now = "makes its conversation shorter";
        return;
      case "run_completed":
        activity.now = line(String(event.data.text));
        return;
      case "run_failed":
      case "run_cancelled":
        activity.now = line(String(event.data.error));
        return;
      default:
        return;
    }
  }

  /**
   * Follows a task from now on.
   *
   * @param id The task.
   * @param tokens What it used before.
   */
  follow(id: string, tokens: number): void {
    if (!this.#activities.has(id)) {
      this.#activities.set(id, { tokens: 0, earlier: tokens, now: "", asked: "" });
    }
  }

  /**
   * Forgets a task.
   *
   * @param id The task.
   */
  forget(id: string): void {
    this.#activities.delete(id);
  }

  /**
   * The lines of the tree.
   *
   * @param context The session that is open.
   */
  nodes({ sessionId }: { readonly sessionId?: string }): readonly PanelNode[] {
    const shown = [...this.#tasks()].filter(({ rootId }) =>
      sessionId === undefined || rootId === sessionId
    );
    const ids = new Set(shown.map(({ id }) => id));
    return shown.map((task) => {
      const { id, parentId, agent, title, color, state, startedAt, endedAt } = task;
      const activity = this.#activities.get(id);
      return {
        id,
        ...(ids.has(parentId) ? { parentId } : {}),
        label: `${agent}: ${title}`,
        ...(color === undefined ? {} : { color }),
        status: state,
        ...(startedAt === undefined ? {} : { startedAt }),
        ...(endedAt === undefined ? {} : { endedAt }),
        tokens: (activity?.tokens ?? 0) + (activity?.earlier ?? 0),
        ...(activity === undefined || activity.now === "" ? {} : { detail: activity.now }),
        sessionId: id,
      };
    });
  }
}

/** What a call is about, from the first field that says it. */
function labelOf(args: string): string {
  try {
    const input: unknown = JSON.parse(args);
    if (typeof input !== "object" || input === null) return "";
    const fields: Readonly<Record<string, unknown>> = { ...input };
    const value = LABEL_FIELDS.map((field) => fields[field]).find((each) =>
      typeof each === "string"
    );
    return typeof value === "string" ? value : "";
  } catch {
    return "";
  }
}

function line(text: string): string {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  return flat.length <= MAX_LINE_CHARS ? flat : `${flat.slice(0, MAX_LINE_CHARS)}…`;
}
