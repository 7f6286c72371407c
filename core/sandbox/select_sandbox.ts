import type { SandboxBackend } from "../gate/profile/risk_profile.ts";
import { bubblewrapArguments } from "./bubblewrap_arguments.ts";
import type { UsableBackend } from "./sandbox_backend.ts";
import type { SandboxProbes } from "./sandbox_probes.ts";

/** The sandbox for the programs of a run. */
export type SandboxChoice =
  /** None is asked for. */
  | { readonly status: "off" }
  /** It works here. */
  | {
    readonly status: "chosen";
    readonly backend: UsableBackend;
    /** The program behind it, absolute; null for one that needs none. */
    readonly program: string | null;
    /** Version of Landlock; 0 for another backend. */
    readonly landlockAbi: number;
    /** Why better ones are not taken, one sentence each. */
    readonly passedOver: readonly string[];
  }
  /** Any would do, and none works here. */
  | { readonly status: "none"; readonly reasons: readonly string[] }
  /** The one that is asked for by name does not work here. */
  | { readonly status: "missing"; readonly backend: SandboxBackend; readonly reason: string };

type Finding = Omit<Extract<SandboxChoice, { status: "chosen" }>, "passedOver"> | string;

/** What `auto` takes, the best first. */
const IN_ORDER: Readonly<Partial<Record<typeof Deno.build.os, readonly UsableBackend[]>>> = {
  linux: ["bubblewrap", "landlock"],
  darwin: ["sandbox-exec"],
};

/**
 * Finds the sandbox for the programs of a run. Looks at the machine as little as it has to.
 *
 * @param wanted What is asked for.
 * @param probes What looks at the machine.
 */
export async function selectSandbox(
  wanted: SandboxBackend,
  probes: SandboxProbes,
): Promise<SandboxChoice> {
  if (wanted === "none") return { status: "off" };
  if (wanted !== "auto") {
    const found = await find(wanted, probes);
    return typeof found === "string"
      ? { status: "missing", backend: wanted, reason: found }
      : { ...found, passedOver: [] };
  }
  const reasons: string[] = [];
  for (const backend of IN_ORDER[probes.os] ?? []) {
    const found = await find(backend, probes);
    if (typeof found !== "string") return { ...found, passedOver: reasons };
    reasons.push(found);
  }
  return {
    status: "none",
    reasons: reasons.length > 0 ? reasons : ["this system has none that Alisio can use"],
  };
}

async function find(backend: SandboxBackend, probes: SandboxProbes): Promise<Finding> {
  switch (backend) {
    case "bubblewrap":
      return await findBubblewrap(probes);
    case "landlock":
      return await findLandlock(probes);
    case "sandbox-exec":
      return await findSandboxExec(probes);
    case "firejail":
    case "docker":
    case "auto":
    case "none":
      return "this release cannot put programs into it";
  }
}

async function findBubblewrap(probes: SandboxProbes): Promise<Finding> {
  if (probes.os !== "linux") return "Bubblewrap is for Linux";
  const program = await probes.findProgram("bwrap");
  if (program === null) {
    return 'Bubblewrap is not installed; install the package "bubblewrap"';
  }
  const plan = { entries: WHOLE_SYSTEM, links: [], network: "closed" } as const;
  const args = bubblewrapArguments(plan, { program: "true", args: [], cwd: "/" });
  const failed = await probes.tryProgram(program, args);
  if (failed === null) return { status: "chosen", backend: "bubblewrap", program, landlockAbi: 0 };
  return `Bubblewrap does not work here (${failed}); where the system forbids user namespaces, ` +
    "permit them for bwrap";
}

const WHOLE_SYSTEM = [
  { path: "/", kind: "folder", access: "read-only" },
  { path: "/tmp", kind: "folder", access: "closed" },
] as const;

async function findLandlock(probes: SandboxProbes): Promise<Finding> {
  if (probes.os !== "linux") return "Landlock is for Linux";
  const landlockAbi = await probes.landlockVersion();
  return landlockAbi < 1
    ? "this kernel has no Landlock, or it is turned off; it takes Linux 5.13 or later"
    : { status: "chosen", backend: "landlock", program: null, landlockAbi };
}

async function findSandboxExec(probes: SandboxProbes): Promise<Finding> {
  if (probes.os !== "darwin") return "sandbox-exec is for macOS";
  const program = "/usr/bin/sandbox-exec";
  const profile = "(version 1)\n(allow default)";
  const failed = await probes.tryProgram(program, ["-p", profile, "/usr/bin/true"]);
  return failed === null
    ? { status: "chosen", backend: "sandbox-exec", program, landlockAbi: 0 }
    : `sandbox-exec does not work here (${failed})`;
}
