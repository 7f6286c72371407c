import { isInside } from "../paths/is_inside.ts";
import type { SandboxEntry, SandboxPlan } from "./sandbox_plan.ts";

/** A program that is to run inside. */
export interface SandboxedProgram {
  /** By name or path. */
  readonly program: string;
  /** Its arguments. */
  readonly args: readonly string[];
  /** Absolute path of its working directory. */
  readonly cwd: string;
}

/** Where temporary files go inside. */
export const BUBBLEWRAP_TEMP = "/tmp";

/**
 * Arguments of `bwrap` that put a program into a sandbox. Pure.
 *
 * The program sees a new file system that holds the plan and nothing else, has process ids of its
 * own that end with it, no terminal, no rights of an administrator, and no network unless the plan
 * opens it. What is closed inside of something open is covered: a folder by an empty one that
 * nobody may look into, a file by a device that nobody may open. What is not there yet is held by
 * an empty folder, for which Bubblewrap makes one outside; `placeholdersOf` names those.
 *
 * @param plan What is visible.
 * @param program What runs.
 */
export function bubblewrapArguments(
  plan: SandboxPlan,
  { program, args, cwd }: SandboxedProgram,
): readonly string[] {
  const covers = plan.entries.filter(({ access, kind }) =>
    kind !== "file" && (access === "closed" || kind === "missing")
  );
  return [
    ...["--unshare-pid", "--unshare-ipc", ...(plan.network === "closed" ? ["--unshare-net"] : [])],
    ...["--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...placesOf(plan),
    ...covers.flatMap(({ path }) => ["--remount-ro", path]),
    ...["--remount-ro", "/", "--chdir", cwd],
    ...["--", program, ...args],
  ];
}

/**
 * Paths where Bubblewrap has to make an empty folder outside, to be removed afterwards.
 *
 * @param plan What is visible.
 */
export function placeholdersOf(plan: SandboxPlan): readonly string[] {
  return plan.entries.filter(({ kind }) => kind === "missing").map(({ path }) => path);
}

const VAR_TEMP = ["--dir", "/run", "--dir", "/var", "--symlink", BUBBLEWRAP_TEMP, "/var/tmp"];

/**
 * Settings of the kernel, for everything that runs on the machine. To an administrator they are open
 * by their owner alone, without any of the rights that are taken away; Bubblewrap itself covers
 * others of the kind.
 */
const KERNEL_SETTINGS = ["/proc/sys", "/proc/fs", "/proc/acpi"]
  .flatMap((path) => ["--ro-bind-try", path, path]);

/** Mounts and links, what is around the others first. */
function placesOf({ entries, links }: SandboxPlan): readonly string[] {
  const temp = entries.some(({ path }) => path === BUBBLEWRAP_TEMP)
    ? []
    : ["--tmpfs", BUBBLEWRAP_TEMP];
  const hasVarTemp = entries.some(({ path }) => isInside(path, "/var/tmp"));
  const whole = entries.filter(({ path }) => path === "/");
  const below = entries.filter(({ path }) => path !== "/");
  return [
    ...whole.flatMap((entry) => mountOf(entry, entries)),
    ...["--proc", "/proc", ...KERNEL_SETTINGS, "--dev", "/dev"],
    ...temp,
    ...(hasVarTemp || whole.length > 0 ? [] : VAR_TEMP),
    ...links.flatMap(({ path, real }) => ["--symlink", real, path]),
    ...below.flatMap((entry) => mountOf(entry, entries)),
  ];
}

function mountOf(
  { path, kind, access }: SandboxEntry,
  entries: readonly SandboxEntry[],
): readonly string[] {
  if (kind === "missing") return ["--perms", "0555", "--tmpfs", path];
  switch (access) {
    // A tool may have been removed since it was found; what is not there needs no place.
    case "private":
      return ["--tmpfs", path];
    case "read-only":
      return ["--ro-bind-try", path, path];
    case "read-write":
    case "write-only":
      return ["--bind-try", path, path];
    case "closed": {
      if (kind === "file") return ["--ro-bind", "/dev/null", path];
      // Something below it may be open, and has to be reached through it.
      const leadsOn = entries.some((entry) => entry.path !== path && isInside(entry.path, path));
      return ["--perms", leadsOn ? "0111" : "0000", "--tmpfs", path];
    }
  }
}
