import type { KernelCeiling } from "./ceiling.ts";
import type { ProgramForm } from "./elf_interpreter.ts";
import {
  DEVICES,
  FILE_RIGHTS,
  laterWriteRights,
  NET_RIGHT,
  RIGHT,
  SCOPE,
  WRITE_RIGHTS,
} from "./landlock_rights.ts";

/** Devices that hold nothing and that programs expect to be able to write to. */
const DEVICE_FILES: readonly string[] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];

/** What a plan asks the system about. */
export interface LandlockPorts {
  /** What is at a path, links followed; null when nothing is. */
  readonly kindOf: (path: string) => "file" | "directory" | null;
  /** How a program is started. */
  readonly programForm: (path: string) => ProgramForm;
}

/** A ruleset of Landlock, ready for the kernel. */
export interface LandlockPlan {
  /** Rights on files that are forbidden unless a rule grants them. */
  readonly handledFs: number;
  /** Rights on the network that are forbidden unless a rule grants them. */
  readonly handledNet: number;
  /** What must stay inside the restricted processes. */
  readonly scoped: number;
  /** Rights on files and folders. */
  readonly paths: readonly { readonly path: string; readonly rights: number }[];
  /** TCP ports that may be connected to. */
  readonly ports: readonly number[];
  /** Paths of the ceiling that do not exist, so that no rule can name them. */
  readonly missing: readonly string[];
  /** Parts of the ceiling that this kernel or system cannot enforce. */
  readonly unenforced: readonly string[];
}

/**
 * Turns the ceiling into rules of Landlock, as far as the kernel knows them.
 *
 * Reading is not limited: Git and ripgrep read their own libraries, configuration and, in a linked
 * work tree, the repository elsewhere.
 *
 * @param kernel The ceiling.
 * @param abi Version of Landlock that the kernel speaks, 1 or more.
 * @param ports Facts about the system.
 */
export function planLandlock(
  kernel: KernelCeiling,
  abi: number,
  ports: LandlockPorts,
): LandlockPlan {
  const known = laterWriteRights(abi);
  const unenforced: string[] = [];
  const rights = new Map<string, number>();
  const missing: string[] = [];
  const grant = (path: string, wanted: number): void => {
    const kind = ports.kindOf(path);
    if (kind === null) missing.push(path);
    else {rights.set(
        path,
        (rights.get(path) ?? 0) | (kind === "file" ? wanted & FILE_RIGHTS : wanted),
      );}
  };
  let handledFs = 0;
  if (kernel.write !== "all") {
    handledFs |= WRITE_RIGHTS | known;
    for (const path of kernel.write) grant(path, handledFs & ~DEVICES);
    for (const path of DEVICE_FILES) {
      if (ports.kindOf(path) !== null) grant(path, handledFs);
    }
    if (abi < 3) unenforced.push("files outside can be truncated");
  }
  if (kernel.run !== "all") {
    const programs = executablesOf(kernel.run, ports);
    if (programs === null) unenforced.push("programs can be executed: one of them is a script");
    else handledFs |= RIGHT.execute;
    for (const path of programs ?? []) grant(path, RIGHT.execute);
  }
  const limitsTcp = kernel.tcpPorts !== "all" && abi >= 4;
  if (kernel.tcpPorts !== "all" && abi < 4) unenforced.push("any TCP port can be connected to");
  return {
    handledFs,
    handledNet: limitsTcp ? NET_RIGHT.connectTcp : 0,
    scoped: abi >= 6 ? SCOPE.abstractUnixSocket | SCOPE.signal : 0,
    paths: [...rights].map(([path, value]) => ({ path, rights: value })),
    ports: limitsTcp ? kernel.tcpPorts : [],
    missing,
    unenforced,
  };
}

/** The programs and their loaders; null when one of them starts others that are not known. */
function executablesOf(
  programs: readonly string[],
  ports: LandlockPorts,
): readonly string[] | null {
  const all = new Set<string>();
  for (const program of programs) {
    const form = ports.programForm(program);
    if (form.kind === "other") return null;
    all.add(program);
    if (form.kind === "dynamic") all.add(form.interpreter);
  }
  return [...all];
}
