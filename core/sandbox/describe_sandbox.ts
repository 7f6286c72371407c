import { explainMissing, NO_SANDBOX } from "./bind_sandbox.ts";
import { type RunSandboxOptions, runSurroundings } from "./open_run_sandbox.ts";
import { strictestBackend, type UsableBackend } from "./sandbox_backend.ts";
import { sandboxGaps } from "./sandbox_gaps.ts";
import { planSandbox } from "./sandbox_plan.ts";
import { createSandboxProbes } from "./sandbox_probes.ts";
import { watchSurroundings } from "./sandbox_surroundings.ts";
import { selectSandbox } from "./select_sandbox.ts";

/** The sandbox that would be in force where programs can be started. */
export interface SandboxReport {
  /** What would enforce it. */
  readonly backend: UsableBackend | "none";
  /** What it is asked for and cannot enforce. */
  readonly gaps: readonly string[];
  /** Why it is not the one that is asked for, one sentence each. */
  readonly reasons: readonly string[];
  /** What a person should look at; absent where all is as asked for. */
  readonly warning?: string;
}

/**
 * Finds out which sandbox would be in force, by the code that finds it for a run. Starts nothing
 * but what tries it.
 *
 * @param options What is known of the run.
 */
export async function describeSandbox(options: RunSandboxOptions): Promise<SandboxReport> {
  const { profile, configured, env, workspace } = options;
  const choice = await selectSandbox(
    strictestBackend(profile?.backend ?? null, configured),
    createSandboxProbes(env, workspace),
  );
  switch (choice.status) {
    case "off":
      return { backend: "none", gaps: [], reasons: [] };
    case "missing": {
      const warning = explainMissing({ profile, configured }, choice);
      return { backend: "none", gaps: [], reasons: [choice.reason], warning };
    }
    case "none":
      return { backend: "none", gaps: [], reasons: choice.reasons, warning: NO_SANDBOX };
    case "chosen": {
      const facts = await watchSurroundings(runSurroundings(options));
      const { backend, landlockAbi, passedOver } = choice;
      const gaps = sandboxGaps(backend, planSandbox(await facts()), landlockAbi);
      return { backend, gaps, reasons: passedOver };
    }
  }
}
