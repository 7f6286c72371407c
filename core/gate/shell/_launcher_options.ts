import type { Argument } from "./_argument.ts";
import { high, type Verdict } from "./_verdict.ts";

/** How a launcher's own options are told from the command behind them. */
export interface LauncherOptions {
  /** Short options without a value. */
  readonly flags: string;
  /** Short options with a value, glued or in the next word. */
  readonly valued: string;
  /** Short options whose value can only be glued. */
  readonly glued?: string;
  /** Long options without a value. */
  readonly longFlags?: readonly string[];
  /** Long options with a value. */
  readonly longValued?: readonly string[];
  /** Words between the options and the command. */
  readonly operands?: number;
  /** Whether `NAME=value` may stand before the command. */
  readonly takesAssignments?: boolean;
  /** Whether `-5` is an option. */
  readonly takesNumber?: boolean;
  /** What is to be said of the launcher itself. */
  readonly verdict?: Verdict;
}

/** What is said of a launcher that changes who acts. */
export const AS_OTHER_USER: Verdict = high("acts as another user");

/** Launchers whose command stands behind their options, by name. */
export const LAUNCHERS: Readonly<Record<string, LauncherOptions>> = {
  env: {
    flags: "i0v",
    valued: "uC",
    longFlags: ["--ignore-environment", "--null", "--debug"],
    longValued: ["--unset", "--chdir"],
    takesAssignments: true,
  },
  nohup: { flags: "", valued: "" },
  setsid: { flags: "cfw", valued: "", longFlags: ["--ctty", "--fork", "--wait"] },
  nice: { flags: "", valued: "n", longValued: ["--adjustment"], takesNumber: true },
  ionice: {
    flags: "t",
    valued: "cn",
    longFlags: ["--ignore"],
    longValued: ["--class", "--classdata"],
  },
  stdbuf: { flags: "", valued: "ioe", longValued: ["--input", "--output", "--error"] },
  timeout: {
    flags: "vfp",
    valued: "ks",
    longFlags: ["--foreground", "--preserve-status", "--verbose"],
    longValued: ["--kill-after", "--signal"],
    operands: 1,
  },
  gtimeout: { flags: "vfp", valued: "ks", operands: 1 },
  time: {
    flags: "pvaqlh",
    valued: "f",
    longFlags: ["--portability", "--verbose"],
    longValued: ["--format"],
  },
  taskset: { flags: "ac", valued: "", operands: 1 },
  chrt: { flags: "bfiorR", valued: "", operands: 1 },
  command: { flags: "p", valued: "" },
  builtin: { flags: "", valued: "" },
  exec: { flags: "cl", valued: "a" },
  sudo: {
    flags: "ABbEHknPS",
    valued: "CDghpRrTtu",
    longFlags: ["--background", "--preserve-env", "--set-home", "--non-interactive", "--stdin"],
    longValued: ["--user", "--group", "--chdir", "--host", "--prompt", "--preserve-env"],
    takesAssignments: true,
    verdict: AS_OTHER_USER,
  },
  doas: { flags: "Ln", valued: "Cau", verdict: AS_OTHER_USER },
};

/**
 * The index of the first word that is not an option, or null when that is not known.
 *
 * @param args The arguments of the launcher.
 * @param options How its options are told from the rest.
 */
export function skipOptions(args: readonly Argument[], options: LauncherOptions): number | null {
  let index = 0;
  while (index < args.length) {
    const value = args[index]?.value ?? null;
    if (value === null) return args[index]?.prefix.match(/^[^-]/) ? index : null;
    if (value === "--") return index + 1;
    if (!value.startsWith("-") || value === "-" && options.takesAssignments !== true) return index;
    const width = value === "-" || (options.takesNumber === true && /^-\d+$/.test(value))
      ? 1
      : value.startsWith("--")
      ? longOptionWidth(value, options)
      : clusterWidth(value.slice(1), options);
    if (width === null) return null;
    index += width;
  }
  return index;
}

/**
 * The value of an option that takes a folder, or null.
 *
 * @param args The options.
 * @param short Its short form.
 * @param long Its long form.
 */
export function optionValue(args: readonly Argument[], short: string, long: string): string | null {
  for (const [index, { value }] of args.entries()) {
    if (value === short || value === long) return args[index + 1]?.value ?? null;
    if (value?.startsWith(`${long}=`)) return value.slice(long.length + 1);
    if (value?.startsWith(short)) return value.slice(short.length);
  }
  return null;
}

function longOptionWidth(value: string, options: LauncherOptions): number | null {
  const [name = ""] = value.split("=", 1);
  if (options.longValued?.includes(name) && value.includes("=")) return 1;
  if (options.longFlags?.includes(name)) return 1;
  return options.longValued?.includes(name) ? 2 : null;
}

function clusterWidth(letters: string, options: LauncherOptions): number | null {
  for (const [index, letter] of [...letters].entries()) {
    if (options.glued?.includes(letter)) return 1;
    if (options.valued.includes(letter)) return index === letters.length - 1 ? 2 : 1;
    if (!options.flags.includes(letter)) return null;
  }
  return 1;
}
