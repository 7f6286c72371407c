import type { Effect } from "@alisio/sdk";
import type { JudgedPath } from "../paths/judged_path.ts";
import type { ActionReservation } from "./profile/action_budget.ts";
import type { ProfileInputFacts } from "./profile/profile_facts.ts";

/** A call whose facts a risk profile asks for. */
export interface ProfileCall {
  /** Name of the tool. */
  readonly tool: string;
  /** Its effect. */
  readonly effect: Effect;
  /** Its checked input. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The paths that it declared, as they will be opened. */
  readonly paths: readonly JudgedPath[];
}

/** What the gate asks of the risk profile that is in force. What it decides is in its policy. */
export interface GateProfile {
  /**
   * Gathers what the profile has to know of the input of a call. Changes nothing.
   *
   * @param call The call.
   */
  input(call: ProfileCall): Promise<ProfileInputFacts>;
  /**
   * Takes a place in the budget for a call that was let through; one that costs nothing always
   * gets it.
   *
   * @param tool Name of the tool.
   * @param effect Its effect.
   * @returns `null` if none is left.
   */
  reserve(tool: string, effect: Effect): ActionReservation | null;
}
