import { CommandError } from "../process/command_error.ts";
import { MARK_VARIABLE } from "../process/process_mark.ts";
import { type CommandOutcome, type CommandSpec, runCommand } from "../process/run_command.ts";
import type { LandlockStarter } from "./landlock_command.ts";
import { LANDLOCK_ORDER_VARIABLE, type LandlockOrder, STARTER_STATUS } from "./landlock_order.ts";
import { refusedStart } from "./refused_start.ts";
import type { Sandbox } from "./sandbox.ts";
import { sandboxGaps } from "./sandbox_gaps.ts";
import { planSandbox, type SandboxFacts } from "./sandbox_plan.ts";
import { type TempFolders, withTempVariables } from "./temp_folder.ts";

/** What Landlock is used with. */
export interface LandlockOptions {
  /** What takes the rules on. */
  readonly starter: LandlockStarter;
  /** Version of Landlock of the kernel. */
  readonly abi: number;
  /** Gathers the facts of this moment. */
  readonly facts: () => Promise<SandboxFacts>;
  /** Where temporary files go. */
  readonly tempFolders: TempFolders;
}

/** The system takes no longer text in one variable. */
const MAX_ORDER_BYTES = 120_000;

/**
 * Opens a sandbox of Landlock.
 *
 * @param options What it is used with.
 */
export async function openLandlock(options: LandlockOptions): Promise<Sandbox> {
  const { abi, tempFolders } = options;
  return {
    backend: "landlock",
    gaps: sandboxGaps("landlock", planSandbox(await options.facts()), abi),
    run: (spec) => tempFolders.with((folder) => runInside(spec, options, folder)),
  };
}

async function runInside(
  spec: CommandSpec,
  { starter, facts }: LandlockOptions,
  tempFolder: string,
): Promise<CommandOutcome> {
  const order: LandlockOrder = {
    plan: planSandbox(await facts()),
    tempFolder,
    env: withTempVariables(spec.env, tempFolder),
    markVariable: MARK_VARIABLE,
    parent: Deno.pid,
    nonce: crypto.randomUUID(),
  };
  const text = JSON.stringify(order);
  if (new TextEncoder().encode(text).length > MAX_ORDER_BYTES) {
    throw failed(spec.program, "the environment and the paths are longer than the system accepts");
  }
  const outcome = await runCommand({
    ...spec,
    program: starter.program,
    args: [...starter.args, spec.program, ...spec.args],
    env: {
      ...starter.env,
      // Where the program is looked for.
      ...(spec.env["PATH"] === undefined ? {} : { PATH: spec.env["PATH"] }),
      [LANDLOCK_ORDER_VARIABLE]: text,
    },
    title: spec.program,
  });
  explainFailure(outcome, spec.program, order.nonce);
  return outcome;
}

function explainFailure(outcome: CommandOutcome, program: string, nonce: string): void {
  if (outcome.exitCode !== STARTER_STATUS || !outcome.stderr.includes(nonce)) return;
  const line = outcome.stderr.split("\n").find((each) => each.includes(nonce)) ?? "{}";
  const { what, text } = JSON.parse(line);
  throw what === "found" || what === "executable"
    ? refusedStart(program, what)
    : failed(program, String(text));
}

function failed(program: string, reason: string): CommandError {
  return new CommandError(
    "sandbox_failed",
    `Cannot run ${JSON.stringify(program.slice(0, 200))}: the sandbox could not be set up ` +
      `(${reason}); the program did not start`,
  );
}
