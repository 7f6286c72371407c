import type { KernelCeiling } from "./ceiling.ts";
import type { ProgramForm } from "./elf_interpreter.ts";

// Rights of Landlock, as the kernel numbers them.
const EXECUTE = 1 << 0;
const WRITE_FILE = 1 << 1;
const REMOVE_DIR = 1 << 4;
const REMOVE_FILE = 1 << 5;
const MAKE_CHAR = 1 << 6;
const MAKE_DIR = 1 << 7;
const MAKE_REG = 1 << 8;
const MAKE_SOCK = 1 << 9;
const MAKE_FIFO = 1 << 10;
const MAKE_BLOCK = 1 << 11;
const MAKE_SYM = 1 << 12;
/** To rename and link between folders. Where the kernel does not know it, it forbids that. */
const REFER = 1 << 13;
const TRUNCATE = 1 << 14;
const CONNECT_TCP = 1 << 1;
const SCOPE_ABSTRACT_UNIX_SOCKET = 1 << 0;
const SCOPE_SIGNAL = 1 << 1;

const FILE_RIGHTS = EXECUTE | WRITE_FILE | TRUNCATE;
const DEVICES = MAKE_CHAR | MAKE_BLOCK;
const WRITE_RIGHTS = WRITE_FILE | REMOVE_DIR | REMOVE_FILE | DEVICES | MAKE_DIR | MAKE_REG |
  MAKE_SOCK | MAKE_FIFO | MAKE_SYM;

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
  const known = (abi >= 2 ? REFER : 0) | (abi >= 3 ? TRUNCATE : 0);
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
    else handledFs |= EXECUTE;
    for (const path of programs ?? []) grant(path, EXECUTE);
  }
  const limitsTcp = kernel.tcpPorts !== "all" && abi >= 4;
  if (kernel.tcpPorts !== "all" && abi < 4) unenforced.push("any TCP port can be connected to");
  return {
    handledFs,
    handledNet: limitsTcp ? CONNECT_TCP : 0,
    scoped: abi >= 6 ? SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL : 0,
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
