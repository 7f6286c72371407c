import type { PlanCall } from "./plan_desk.ts";
import type { PlanInput, PlanOutcome } from "./plan_outcome.ts";

/** What `exit_plan` works with. */
export interface PlanPort {
  /** Whether the agent that runs at this moment ends with a plan. */
  isOffered(): boolean;
  /** How many diagrams a plan may have at this moment; 0 where they are switched off. */
  maxDiagrams(): number;
  /**
   * Publishes a plan, and waits for what the person decides about it.
   *
   * @param input The plan.
   * @param call The call that proposes it.
   */
  propose(input: PlanInput, call: PlanCall): Promise<PlanOutcome>;
}
