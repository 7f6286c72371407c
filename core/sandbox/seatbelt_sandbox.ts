import { type CommandOutcome, type CommandSpec, runCommand } from "../process/run_command.ts";
import { CommandError } from "../process/command_error.ts";
import type { Sandbox } from "./sandbox.ts";
import { sandboxGaps } from "./sandbox_gaps.ts";
import { planSandbox, type SandboxFacts } from "./sandbox_plan.ts";
import { seatbeltProfile } from "./seatbelt_profile.ts";
import { type TempFolders, withTempVariables } from "./temp_folder.ts";

/** What `sandbox-exec` is used with. */
export interface SeatbeltOptions {
  /** Absolute path of `sandbox-exec`. */
  readonly program: string;
  /** Gathers the facts of this moment. */
  readonly facts: () => Promise<SandboxFacts>;
  /** Where temporary files go. */
  readonly tempFolders: TempFolders;
}

/** Status of `sandbox-exec` for a profile that the system does not take. */
const REFUSED_STATUS = 65;

/**
 * Opens a sandbox of macOS.
 *
 * @param options What it is used with.
 */
export async function openSeatbelt(options: SeatbeltOptions): Promise<Sandbox> {
  return {
    backend: "sandbox-exec",
    gaps: sandboxGaps("sandbox-exec", planSandbox(await options.facts())),
    run: (spec) => options.tempFolders.with((folder) => runInside(spec, options, folder)),
  };
}

async function runInside(
  spec: CommandSpec,
  { program, facts }: SeatbeltOptions,
  tempFolder: string,
): Promise<CommandOutcome> {
  const profile = seatbeltProfile(planSandbox(await facts()), tempFolder);
  const outcome = await runCommand({
    ...spec,
    program,
    args: ["-p", profile, spec.program, ...spec.args],
    env: withTempVariables(spec.env, tempFolder),
    title: spec.program,
  });
  if (outcome.exitCode === REFUSED_STATUS && outcome.stderr.startsWith("sandbox-exec: ")) {
    throw new CommandError(
      "sandbox_failed",
      `Cannot run ${JSON.stringify(spec.program.slice(0, 200))}: the sandbox could not be set up ` +
        `(${outcome.stderr.slice(0, 300).trim()}); the program did not start`,
    );
  }
  return outcome;
}
