import type { SessionStore } from "../session/session_store.ts";
import {
  advancePlan,
  nextRevision,
  PLAN_OPTION,
  type PlanState,
  planStateJson,
  type PlanStatus,
  readPlanState,
} from "./plan_state.ts";

/**
 * The plan of each session, in the record. Every step compares what is stored with what it expects,
 * in one transaction, so that of two answers one counts.
 */
export class PlanStore {
  readonly #store: Pick<SessionStore, "session" | "updateSession" | "transaction">;

  /** @param store The record of all sessions. */
  constructor(store: Pick<SessionStore, "session" | "updateSession" | "transaction">) {
    this.#store = store;
  }

  /**
   * The plan of a session.
   *
   * @param sessionId The session.
   * @returns Null if there is none that could be read.
   */
  read(sessionId: string): PlanState | null {
    return readPlanState(this.#store.session(sessionId)?.options[PLAN_OPTION]);
  }

  /**
   * Puts a new revision in the place of what was proposed before.
   *
   * @param sessionId The session.
   * @param draft The revision; what it is called and how many there were is found here.
   */
  propose(
    sessionId: string,
    draft: Pick<PlanState, "hash" | "title" | "diagrams" | "updatedAt"> & {
      readonly callId: string;
    },
  ): PlanState {
    return this.#store.transaction(() => {
      const revision = nextRevision(this.read(sessionId), () => crypto.randomUUID());
      return this.#write(sessionId, { ...revision, ...draft, status: "pending" });
    });
  }

  /**
   * Notes where a revision was published, unless another one is there by now.
   *
   * @param sessionId The session.
   * @param callId The call that proposed it.
   * @param artifactId The artifact.
   */
  attach(sessionId: string, callId: string, artifactId: string): void {
    this.#store.transaction(() => {
      const state = this.read(sessionId);
      if (state?.callId === callId) this.#write(sessionId, { ...state, artifactId });
    });
  }

  /**
   * Takes a step, if the plan stands where it is expected.
   *
   * @param sessionId The session.
   * @param expected Its status, and the call that proposed it where that matters.
   * @param next The status after, and what was approved.
   * @returns The state before and after; null if another step came first.
   */
  advance(
    sessionId: string,
    expected: { readonly status: PlanStatus; readonly callId?: string },
    next: { readonly status: PlanStatus; readonly plan?: string; readonly at: number },
  ): { readonly before: PlanState; readonly after: PlanState } | null {
    return this.#store.transaction(() => {
      const before = this.read(sessionId);
      if (before === null || before.status !== expected.status) return null;
      if (expected.callId !== undefined && before.callId !== expected.callId) return null;
      const after = advancePlan(before, next.status, {
        at: next.at,
        ...(next.plan === undefined ? {} : { plan: next.plan }),
      });
      return after === null ? null : { before, after: this.#write(sessionId, after) };
    });
  }

  #write(sessionId: string, state: PlanState): PlanState {
    this.#store.updateSession(sessionId, { options: { [PLAN_OPTION]: planStateJson(state) } });
    return state;
  }
}
