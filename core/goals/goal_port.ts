import type { SessionGoals } from "./session_goals.ts";

/** The goals of an application, for tools: their code is loaded when it is needed. */
export interface GoalPort {
  /**
   * Whether the model of a session works on a goal at this moment.
   *
   * @param sessionId The session.
   */
  isActive(sessionId: string): boolean;
  /** Loads them. */
  open(): Promise<SessionGoals>;
}
