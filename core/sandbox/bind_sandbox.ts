import { AlisioError, errorMessage } from "../errors.ts";
import { quoted } from "../config/quoted.ts";
import type { SandboxBackend } from "../gate/profile/risk_profile.ts";
import type { Sandbox } from "./sandbox.ts";
import { strictestBackend } from "./sandbox_backend.ts";
import { createSandboxProbes } from "./sandbox_probes.ts";
import { type SandboxSurroundings, watchSurroundings } from "./sandbox_surroundings.ts";
import { type SandboxChoice, selectSandbox } from "./select_sandbox.ts";

/** Who asks for a sandbox. */
export interface SandboxWish {
  /** What the risk profile in force asks for; `null` if there is none. */
  readonly profile: { readonly alias: string; readonly backend: SandboxBackend } | null;
  /** What the key `sandbox` of the configuration asks for. */
  readonly configured: SandboxBackend;
}

/** What a sandbox is opened with. */
export interface BindSandboxOptions {
  /** Who asks for it. */
  readonly wish: SandboxWish;
  /** What the run says of its programs. */
  readonly surroundings: SandboxSurroundings;
  /** Environment variables of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** The state home. */
  readonly stateHome: string;
}

/** The sandbox of a run. */
export interface SandboxBinding {
  /** `null` if none is in force. */
  readonly sandbox: Sandbox | null;
  /** What the person should know, one sentence each. */
  readonly notices: readonly string[];
}

/** What is said where a sandbox is wanted and none works. */
export const NO_SANDBOX =
  "No sandbox of the operating system is in force: programs that the model starts have your rights";

/**
 * Finds and opens the sandbox of a run. Imported only where something asks for one.
 *
 * @param options What it is opened with.
 * @throws {AlisioError} `config_invalid` if one is asked for by name that does not work here.
 */
export async function bindSandbox(options: BindSandboxOptions): Promise<SandboxBinding> {
  const { wish, surroundings, env } = options;
  const choice = await selectSandbox(
    strictestBackend(wish.profile?.backend ?? null, wish.configured),
    createSandboxProbes(env, surroundings.workspace),
  );
  switch (choice.status) {
    case "off":
      return { sandbox: null, notices: [] };
    case "missing":
      throw new AlisioError("config_invalid", explainMissing(wish, choice));
    case "none":
      return { sandbox: null, notices: [`${NO_SANDBOX} (${choice.reasons.join("; ")})`] };
    case "chosen": {
      const sandbox = await openOrRefuse(choice, options);
      return { sandbox, notices: describeGaps(sandbox, choice.passedOver) };
    }
  }
}

/**
 * Why a run is refused whose sandbox does not work here.
 *
 * @param wish Who asks for it.
 * @param choice The one that is asked for, and what is wrong with it.
 */
export function explainMissing(
  { profile, configured }: SandboxWish,
  { backend, reason }: Extract<SandboxChoice, { status: "missing" }>,
): string {
  if (profile !== null && profile.backend === backend) {
    return `Cannot use risk profile ${quoted(profile.alias)}: it asks for the sandbox ` +
      `"${backend}", which cannot be used: ${reason}. Take "sandboxBackend" out of it, or run ` +
      "without permission for programs";
  }
  const way = configured === backend ? 'Set "sandbox" to "auto"' : "Choose another one";
  return `Cannot start programs in the sandbox "${backend}" that the configuration asks for: ` +
    `${reason}. ${way}, or run without permission for programs`;
}

function describeGaps(sandbox: Sandbox, passedOver: readonly string[]): readonly string[] {
  if (sandbox.gaps.length === 0) return [];
  const better = passedOver.length === 0 ? "" : `. ${passedOver.join(". ")}`;
  return [
    `The sandbox "${sandbox.backend}" holds the programs that the model starts, and leaves open: ` +
    `${sandbox.gaps.join("; ")}${better}`,
  ];
}

/** Without it nothing may start, so that a run has no use of going on. */
async function openOrRefuse(
  choice: Extract<SandboxChoice, { status: "chosen" }>,
  options: BindSandboxOptions,
): Promise<Sandbox> {
  try {
    return await open(choice, options);
  } catch (error) {
    throw new AlisioError(
      "config_invalid",
      `Cannot open the sandbox "${choice.backend}": ${errorMessage(error).slice(0, 300)}; run ` +
        "without permission for programs",
      { cause: error },
    );
  }
}

async function open(
  choice: Extract<SandboxChoice, { status: "chosen" }>,
  { surroundings, env, stateHome }: BindSandboxOptions,
): Promise<Sandbox> {
  const facts = await watchSurroundings(surroundings);
  const program = choice.program ?? "";
  switch (choice.backend) {
    case "bubblewrap": {
      const { tryProgram } = createSandboxProbes(env, surroundings.workspace);
      const { openBubblewrap } = await import("./bubblewrap_sandbox.ts");
      return await openBubblewrap({ program, facts, tryProgram });
    }
    case "landlock": {
      const [{ openLandlock }, { landlockStarter }, { TempFolders }] = await Promise.all([
        import("./landlock_sandbox.ts"),
        import("./landlock_command.ts"),
        import("./temp_folder.ts"),
      ]);
      const tempFolders = await TempFolders.open(stateHome);
      const starter = landlockStarter(env);
      return await openLandlock({ starter, abi: choice.landlockAbi, facts, tempFolders });
    }
    case "sandbox-exec": {
      const [{ openSeatbelt }, { TempFolders }] = await Promise.all([
        import("./seatbelt_sandbox.ts"),
        import("./temp_folder.ts"),
      ]);
      return await openSeatbelt({ program, facts, tempFolders: await TempFolders.open(stateHome) });
    }
  }
}
