import type { SandboxPlan } from "./sandbox_plan.ts";

/** Environment variable that hands an order to the program that takes rules of Landlock on. */
export const LANDLOCK_ORDER_VARIABLE = "ALISIO_SANDBOX_ORDER";

/** First argument of a compiled binary that is to be that program. */
export const LANDLOCK_ARGUMENT = "enter-sandbox";

/** Exit status of that program when it could not become the one that was asked for. */
export const STARTER_STATUS = 125;

/** What the program between Alisio and a program in the sandbox has to do. */
export interface LandlockOrder {
  /** What is visible. */
  readonly plan: SandboxPlan;
  /** The private folder for temporary files. */
  readonly tempFolder: string;
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Name of the variable that marks what a command starts; passed on. */
  readonly markVariable: string;
  /** Process id of the agent, without which the program ends. */
  readonly parent: number;
  /** Unknown to the program, so that it cannot write the message of a failure itself. */
  readonly nonce: string;
}
