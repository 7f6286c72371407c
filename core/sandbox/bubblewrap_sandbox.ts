import { CommandError } from "../process/command_error.ts";
import { type CommandOutcome, type CommandSpec, runCommand } from "../process/run_command.ts";
import { BUBBLEWRAP_TEMP, bubblewrapArguments, placeholdersOf } from "./bubblewrap_arguments.ts";
import { FixedLinks } from "./fixed_links.ts";
import { Placeholders, removeRedirections } from "./placeholders.ts";
import { refusedStart } from "./refused_start.ts";
import type { Sandbox } from "./sandbox.ts";
import { sandboxGaps } from "./sandbox_gaps.ts";
import { planSandbox, type SandboxFacts, type SandboxPlan } from "./sandbox_plan.ts";
import type { SandboxProbes } from "./sandbox_probes.ts";
import { withTempVariables } from "./temp_folder.ts";

/** What Bubblewrap is used with. */
export interface BubblewrapOptions {
  /** Absolute path of `bwrap`. */
  readonly program: string;
  /** Gathers the facts of this moment. */
  readonly facts: () => Promise<SandboxFacts>;
  /** Tries whether the sandbox works, after a failure that could be its own. */
  readonly tryProgram: SandboxProbes["tryProgram"];
}

const STOPPED_STATUS: Readonly<Record<number, string>> = { 137: "SIGKILL", 143: "SIGTERM" };

/** The whole of what Bubblewrap says when it cannot start the program inside. */
const NOT_STARTED_REGEXP = /^bwrap: execvp [^\n]*: ([^:\n]+)\n$/;

/**
 * Opens a sandbox of Bubblewrap.
 *
 * @param options What it is used with.
 */
export async function openBubblewrap(options: BubblewrapOptions): Promise<Sandbox> {
  const held = { placeholders: new Placeholders(), links: new FixedLinks() };
  return {
    backend: "bubblewrap",
    gaps: sandboxGaps("bubblewrap", planSandbox(await options.facts())),
    run: (spec) => runInside(spec, options, held),
  };
}

async function runInside(
  spec: CommandSpec,
  options: BubblewrapOptions,
  held: { readonly placeholders: Placeholders; readonly links: FixedLinks },
): Promise<CommandOutcome> {
  const facts = await options.facts();
  const plan = planSandbox(facts);
  const putLinksBack = await held.links.hold(facts.fixedNames);
  const release = held.placeholders.hold(placeholdersOf(plan));
  try {
    const outcome = await runCommand({
      ...spec,
      program: options.program,
      args: bubblewrapArguments(plan, spec),
      env: withTempVariables(spec.env, BUBBLEWRAP_TEMP),
      title: spec.program,
      // It would take the program along before that could end by itself.
      isKeeper: true,
    });
    await explainFailure(outcome, { spec, plan, options });
    return withSignal(outcome);
  } finally {
    await putLinksBack();
    await Promise.all([release(), removeRedirections(facts)]);
  }
}

/** Bubblewrap ends with a status where the program inside ended by the signal that stopped it. */
function withSignal(outcome: CommandOutcome): CommandOutcome {
  const { endedBy, exitCode } = outcome;
  if (endedBy !== "timeout" && endedBy !== "cancelled") return outcome;
  const signal = exitCode === null ? undefined : STOPPED_STATUS[exitCode];
  return signal === undefined ? outcome : { ...outcome, exitCode: null, signal };
}

/** The status of Bubblewrap's own failures is also one that programs end with. */
async function explainFailure(
  outcome: CommandOutcome,
  { spec, plan, options }: {
    readonly spec: CommandSpec;
    readonly plan: SandboxPlan;
    readonly options: BubblewrapOptions;
  },
): Promise<void> {
  const { exitCode, stdoutBytes, stderr } = outcome;
  if (exitCode !== 1 || stdoutBytes > 0 || !stderr.startsWith("bwrap: ")) return;
  const notStarted = NOT_STARTED_REGEXP.exec(stderr)?.[1];
  if (notStarted !== undefined) {
    const isMissing = notStarted === "No such file or directory";
    throw refusedStart(spec.program, isMissing ? "found" : "executable");
  }
  const args = bubblewrapArguments(plan, { program: "true", args: [], cwd: spec.cwd });
  const failed = await options.tryProgram(options.program, args);
  if (failed === null) return;
  throw new CommandError(
    "sandbox_failed",
    `Cannot run ${JSON.stringify(spec.program.slice(0, 200))}: the sandbox could not be set up ` +
      `(${failed}); the program did not start`,
  );
}
