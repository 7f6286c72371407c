import { quoted } from "../../config/quoted.ts";
import { type RiskProfile, sandboxBackend } from "./risk_profile.ts";

/** What a person has to know of the sandbox that a profile asks for. */
export interface SandboxFinding {
  /** Whether no program may be started without that sandbox. */
  readonly refuses: boolean;
  /** What it is, and what to do. */
  readonly message: string;
}

/**
 * What is to be said of the sandbox where a profile lets programs start. No sandbox of the
 * operating system is in force, so one that is asked for by name refuses the run.
 *
 * @param profile The profile that is in force.
 * @returns `null` where the profile wants none.
 */
export function sandboxFinding(
  profile: Pick<RiskProfile, "alias" | "sandbox">,
): SandboxFinding | null {
  const backend = sandboxBackend(profile.sandbox);
  if (backend === "none") return null;
  if (backend === "auto") {
    return {
      refuses: false,
      message: "No sandbox of the operating system is in force: programs that the model starts " +
        "have your rights",
    };
  }
  return {
    refuses: true,
    message: `Cannot use risk profile ${quoted(profile.alias)}: it asks for the sandbox ` +
      `"${backend}", which this release cannot put programs into; take "sandboxBackend" out of it, ` +
      "or run without permission for programs",
  };
}
