import type { JsonValue } from "@alisio/sdk";
import { isObject } from "../config/is_object.ts";
import type { Goal } from "../goals/goal.ts";
import { rewoundGoal, stateOf } from "../goals/goal_states.ts";
import { GoalStore } from "../goals/goal_store.ts";
import { PLAN_OPTION, readPlanState } from "../plan/plan_state.ts";
import type { SessionStore } from "../session/session_store.ts";

/** Where the options of a session hold what rewinds put aside of its plan and its goal. */
export const REWOUND_OPTION = "rewound";

/** So many rewinds can be undone with plan and goal. */
const MAX_KEPT = 10;

/** What one rewind put aside. */
interface PutAside {
  readonly rewindId: number;
  /** The plan, as the session had it. */
  readonly plan?: JsonValue;
  /** The goal, as it was. */
  readonly goal?: JsonValue;
  /** What its epoch has been since; another one means that somebody changed it. */
  readonly epoch?: number;
}

/**
 * Puts aside what a plan and a goal came to since a prompt, in the transaction of the caller: the plan
 * is forgotten, and whether the goal is worked on from here is for the person to say.
 *
 * @param store The record.
 * @param sessionId The session.
 * @param rewind The rewind, and the message that the conversation is put back to before.
 */
export function putStateAside(
  store: SessionStore,
  sessionId: string,
  rewind: { readonly id: number; readonly message: number },
): void {
  const sql = "SELECT created_at FROM messages WHERE session_id = ? AND seq = ?";
  const since = Number(store.database.get(sql, sessionId, rewind.message)?.created_at);
  const options = store.session(sessionId)?.options ?? {};
  const plan = readPlanState(options[PLAN_OPTION]);
  const isPlanNew = plan !== null && plan.updatedAt >= since;
  const goals = new GoalStore(store.database);
  const goal = goals.find(sessionId);
  const isGoalNew = goal !== undefined && goal.updatedAt >= since;
  if (!isPlanNew && !isGoalNew) return;
  const epoch = isGoalNew ? goals.change(sessionId, rewoundGoal)?.epoch : undefined;
  const entry: PutAside = {
    rewindId: rewind.id,
    ...(isPlanNew ? { plan: options[PLAN_OPTION] ?? null } : {}),
    ...(isGoalNew ? { goal: JSON.parse(JSON.stringify(goal)) } : {}),
    ...(epoch === undefined ? {} : { epoch }),
  };
  const kept = [...readKept(options[REWOUND_OPTION]), entry].slice(-MAX_KEPT);
  store.updateSession(sessionId, {
    options: {
      ...(isPlanNew ? { [PLAN_OPTION]: null } : {}),
      [REWOUND_OPTION]: kept.map((each) => ({ ...each })),
    },
  });
}

/**
 * Takes up again what a rewind put aside of plan and goal, as far as nobody has set others since, in
 * the transaction of the caller. A goal that was worked on does not go on by itself.
 *
 * @param store The record.
 * @param sessionId The session.
 * @param rewindId The rewind that is undone.
 */
export function takeStateUp(store: SessionStore, sessionId: string, rewindId: number): void {
  const options = store.session(sessionId)?.options ?? {};
  const kept = readKept(options[REWOUND_OPTION]);
  const entry = kept.find((each) => each.rewindId === rewindId);
  if (entry === undefined) return;
  const before = entry.goal as Goal | undefined;
  const restored = new GoalStore(store.database).change(sessionId, (goal) => {
    if (before === undefined || goal.id !== before.id || goal.epoch !== entry.epoch) return null;
    const state = before.status === "active" ? stateOf("user_paused") : {};
    return { ...before, ...state, isInFlight: false, owner: goal.owner, epoch: goal.epoch + 1 };
  });
  // It is again what an earlier rewind made of it.
  const isBack = ({ epoch }: PutAside) => restored !== undefined && epoch === before?.epoch;
  const rest = kept.filter((each) => each !== entry)
    .map((each) => ({ ...each, ...(isBack(each) ? { epoch: restored?.epoch ?? 0 } : {}) }));
  const isPlanFree = entry.plan !== undefined && (options[PLAN_OPTION] ?? null) === null;
  store.updateSession(sessionId, {
    options: {
      ...(isPlanFree ? { [PLAN_OPTION]: entry.plan ?? null } : {}),
      [REWOUND_OPTION]: rest.length === 0 ? null : rest,
    },
  });
}

function readKept(value: unknown): readonly PutAside[] {
  if (!Array.isArray(value)) return [];
  return value.filter((each): each is PutAside =>
    isObject(each) && typeof each["rewindId"] === "number"
  );
}
