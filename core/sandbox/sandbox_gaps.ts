import { isInside } from "../paths/is_inside.ts";
import type { UsableBackend } from "./sandbox_backend.ts";
import type { SandboxEntry, SandboxPlan } from "./sandbox_plan.ts";

/** How many paths a sentence names. */
const MAX_NAMED = 3;

/**
 * What a plan asks for and a backend cannot enforce, each as the end of "it leaves open: ". Pure.
 *
 * @param backend The backend.
 * @param plan The plan.
 * @param landlockAbi Version of Landlock of the kernel; counts for that backend alone.
 */
export function sandboxGaps(
  backend: UsableBackend,
  plan: SandboxPlan,
  landlockAbi = 0,
): readonly string[] {
  switch (backend) {
    case "bubblewrap":
      return writeOnlyGap(plan);
    case "landlock":
      return landlockGaps(plan, landlockAbi);
    case "sandbox-exec":
      return [];
  }
}

function writeOnlyGap({ entries }: SandboxPlan): readonly string[] {
  const paths = entries.filter(({ access }) => access === "write-only").map(({ path }) => path);
  return paths.length === 0 ? [] : [`reading of ${named(paths)}, which is for writing only`];
}

function landlockGaps(plan: SandboxPlan, abi: number): readonly string[] {
  const narrower = plan.entries.filter((entry) => isNarrower(entry, plan.entries));
  const closed = narrower.filter(({ access }) => access === "closed").map(({ path }) => path);
  const fixed = narrower.filter(({ access }) => access === "read-only").map(({ path }) => path);
  return [
    ...(closed.length === 0 ? [] : [`${named(closed)}, in an open folder`]),
    ...(fixed.length === 0 ? [] : [`changes of ${named(fixed)}`]),
    ...(abi < 3 ? ["cutting of files anywhere"] : []),
    ...(plan.network === "open" ? [] : ["sockets that are files"]),
    ...(abi < 6 ? ["signals to your other programs"] : []),
    "mode, owner and times of files",
  ];
}

/** Whether an entry takes away what one around it gives, which no rule of Landlock can do. */
function isNarrower(
  { path, access }: SandboxEntry,
  entries: readonly SandboxEntry[],
): boolean {
  const wider = entries.filter((entry) => entry.path !== path && isInside(path, entry.path));
  if (access === "closed") return wider.some((entry) => /write/.test(entry.access));
  if (access !== "read-only") return false;
  return wider.some((entry) => /write/.test(entry.access));
}

function named(paths: readonly string[]): string {
  const shown = paths.slice(0, MAX_NAMED).map((path) => `"${path}"`).join(", ");
  return paths.length > MAX_NAMED ? `${shown} and ${paths.length - MAX_NAMED} more` : shown;
}
