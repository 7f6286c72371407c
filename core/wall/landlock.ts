import { errorMessage } from "../errors.ts";
import type { Ceiling } from "./ceiling.ts";
import { applyFilter } from "./call_filter.ts";
import { readProgramForm } from "./elf_interpreter.ts";
import { type LandlockPlan, planLandlock } from "./landlock_plan.ts";
import { terminalFilter } from "./terminal_filter.ts";

/** What became of the rules for the kernel. */
export type LandlockResult =
  /** They hold for this thread and for everything that it starts from now on, for ever. */
  | {
    readonly status: "applied";
    /** Version of Landlock. */
    readonly abi: number;
    /** The rules. */
    readonly plan: LandlockPlan;
  }
  /** The ceiling has no rules for the kernel. */
  | { readonly status: "off"; readonly reason: string }
  /** This system cannot enforce them. */
  | { readonly status: "unavailable"; readonly reason: string };

const CREATE_RULESET = 444n;
const ADD_RULE = 445n;
const RESTRICT_SELF = 446n;
const RULESET_VERSION = 1n;
const RULE_PATH_BENEATH = 1n;
const RULE_NET_PORT = 2n;
const NET_CONNECT_TCP = 2n;
const SET_NO_NEW_PRIVS = 38;
const NO_LANDLOCK = "this kernel has no Landlock, or it is turned off";
/** Names a file without opening it, and not beyond an exec. */
const O_PATH_CLOEXEC = 0o12000000;

// The calls have no wrapper in the C library, and "syscall" takes whatever each of them needs.
const SYMBOLS = {
  prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" },
  open: { parameters: ["buffer", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  create: { name: "syscall", parameters: ["i64", "buffer", "i64", "i64"], result: "i64" },
  add: { name: "syscall", parameters: ["i64", "i64", "i64", "buffer", "i64"], result: "i64" },
  restrict: { name: "syscall", parameters: ["i64", "i64", "i64"], result: "i64" },
} as const;

type Libc = Deno.DynamicLibrary<typeof SYMBOLS>;

/**
 * Puts a ceiling into the kernel, for this process and for every one that it starts afterwards.
 * There is no way back. Needs permission for FFI, and must be called on the thread that starts
 * the processes.
 *
 * @param ceiling The ceiling.
 */
export function applyLandlock(ceiling: Ceiling): LandlockResult {
  const { kernel } = ceiling;
  if ("off" in kernel) return { status: "off", reason: kernel.off };
  return applyLandlockPlan((abi) =>
    planLandlock(kernel, abi, { kindOf, programForm: readProgramForm })
  );
}

/**
 * Holds this process, and every one that it starts afterwards, to rules of Landlock. There is no
 * way back. Needs permission for FFI, and must be called on the thread that starts the processes.
 *
 * @param makePlan Makes the rules for a version of Landlock, 1 or more.
 */
export function applyLandlockPlan(makePlan: (abi: number) => LandlockPlan): LandlockResult {
  return withLibc((libc) => {
    const abi = askVersion(libc);
    if (abi < 1) return unavailable(NO_LANDLOCK);
    const plan = makePlan(abi);
    const failed = enforce(libc, abi, plan);
    return failed === null ? { status: "applied", abi, plan } : unavailable(failed);
  });
}

/**
 * The version of Landlock that this kernel speaks, 0 if there is none or it cannot be asked. Needs
 * permission for FFI.
 */
export function landlockVersion(): number {
  let version = 0;
  withLibc((libc) => {
    version = Math.max(0, askVersion(libc));
    return unavailable(NO_LANDLOCK);
  });
  return version;
}

/**
 * What {@linkcode applyLandlock} would do, without doing it.
 *
 * @param ceiling The ceiling.
 */
export function previewLandlock(ceiling: Ceiling): LandlockResult {
  const { kernel } = ceiling;
  if ("off" in kernel) return { status: "off", reason: kernel.off };
  return withLibc((libc) => {
    const abi = askVersion(libc);
    if (abi < 1) return unavailable(NO_LANDLOCK);
    const plan = planLandlock(kernel, abi, { kindOf, programForm: readProgramForm });
    return { status: "applied", abi, plan };
  });
}

function withLibc(use: (libc: Libc) => LandlockResult): LandlockResult {
  if (Deno.build.os !== "linux") return unavailable("only Linux has Landlock");
  let libc: Libc;
  try {
    libc = Deno.dlopen("libc.so.6", SYMBOLS);
  } catch (error) {
    return unavailable(`the C library cannot be called (${errorMessage(error).slice(0, 200)})`);
  }
  try {
    return use(libc);
  } finally {
    libc.close();
  }
}

function askVersion({ symbols }: Libc): number {
  return Number(symbols.create(CREATE_RULESET, null, 0n, RULESET_VERSION));
}

/** Null when the rules hold, else why they do not. */
function enforce({ symbols }: Libc, abi: number, plan: LandlockPlan): string | null {
  const attributes = new BigUint64Array(
    [plan.handledFs, plan.handledNet, plan.scoped].slice(0, abi >= 6 ? 3 : abi >= 4 ? 2 : 1)
      .map(BigInt),
  );
  if (attributes.every((value) => value === 0n)) return "there is nothing that it could limit";
  const size = BigInt(attributes.byteLength);
  const ruleset = symbols.create(CREATE_RULESET, attributes, size, 0n);
  if (ruleset < 0n) return "the kernel refuses the ruleset";
  try {
    for (const { path, rights } of plan.paths) {
      // Unhandled rights in a rule are an error; an empty rule too.
      if ((rights & plan.handledFs) === 0) continue;
      if (!addPath(symbols, ruleset, path, rights)) {
        return `the kernel refuses the rule for "${path}"`;
      }
    }
    for (const port of plan.ports) {
      const rule = new BigUint64Array([NET_CONNECT_TCP, BigInt(port)]);
      if (symbols.add(ADD_RULE, ruleset, RULE_NET_PORT, rule, 0n) !== 0n) {
        return `the kernel refuses the rule for port ${port}`;
      }
    }
    if (symbols.prctl(SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n) !== 0) {
      return "new privileges cannot be ruled out";
    }
    if (symbols.restrict(RESTRICT_SELF, ruleset, 0n) !== 0n) {
      return "the kernel refuses to restrict this process";
    }
    // The terminal is open already, and the shell behind it stands outside of these rules.
    applyFilter(symbols.prctl, terminalFilter());
    return null;
  } finally {
    symbols.close(Number(ruleset));
  }
}

function addPath(
  symbols: Libc["symbols"],
  ruleset: bigint,
  path: string,
  rights: number,
): boolean {
  const fd = symbols.open(new TextEncoder().encode(`${path}\0`), O_PATH_CLOEXEC);
  if (fd < 0) return false;
  try {
    const rule = new DataView(new ArrayBuffer(12));
    rule.setBigUint64(0, BigInt(rights), true);
    rule.setInt32(8, fd, true);
    return symbols.add(ADD_RULE, ruleset, RULE_PATH_BENEATH, rule, 0n) === 0n;
  } finally {
    symbols.close(fd);
  }
}

/** What is at a path, links followed; null when nothing is. */
export function kindOf(path: string): "file" | "directory" | null {
  try {
    return Deno.statSync(path).isDirectory ? "directory" : "file";
  } catch {
    return null;
  }
}

function unavailable(reason: string): LandlockResult {
  return { status: "unavailable", reason };
}
