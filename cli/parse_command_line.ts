import { nearestName } from "../core/config/nearest_name.ts";
import { AlisioError } from "../core/errors.ts";
import {
  COMMANDS,
  type CommandSpec,
  type FlagSpec,
  GLOBAL_FLAGS,
  type GlobalFlags,
} from "./flags.ts";

/** A command line that was understood. */
export interface CommandLine {
  /** Absent when only flags were given. */
  readonly command?: CommandSpec;
  /** What follows the command, flags taken out. */
  readonly args: readonly string[];
  readonly flags: GlobalFlags;
  /** Flags of the command alone, by name. */
  readonly commandFlags: Readonly<Record<string, string | boolean | readonly string[]>>;
  readonly help: boolean;
  readonly version: boolean;
}

/**
 * Reads a command line. Flags may stand anywhere; `--` ends them.
 *
 * @param argv Arguments after the program's name.
 * @throws {AlisioError} `usage`, with the nearest known name.
 */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const everyFlag = [...GLOBAL_FLAGS, ...COMMANDS.flatMap((command) => command.flags ?? [])];
  const positionals: string[] = [];
  const given: GivenFlag[] = [];
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? "";
    if (word === "--") {
      positionals.push(...argv.slice(index + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      positionals.push(word);
      continue;
    }
    const { rawName, inline } = splitFlag(word);
    const flag = everyFlag.find(({ name, short }) =>
      rawName === `--${name}` || (short !== undefined && rawName === `-${short}`)
    );
    if (flag === undefined) throw unknownFlag(rawName, everyFlag);
    const takesNext = (flag.kind === "string" || flag.kind === "list") && inline === undefined;
    if (takesNext) index += 1;
    given.push({
      flag,
      value: takesNext ? nextValue(flag, rawName, argv[index]) : flagValue(flag, rawName, inline),
    });
  }
  const [name, ...args] = positionals;
  const command = name === undefined ? undefined : commandNamed(name);
  assertFlagsFit(given.map(({ flag }) => flag), command);
  const values = collect(given);
  return {
    ...(command === undefined ? {} : { command }),
    args,
    flags: globalFlags(values),
    commandFlags: Object.fromEntries(
      Object.entries(values).filter(([key]) => command?.flags?.some((flag) => flag.name === key)),
    ),
    help: values.help === true,
    version: values.version === true,
  };
}

interface GivenFlag {
  readonly flag: FlagSpec;
  readonly value: string | undefined;
}

/** Takes `--name=value` apart. */
function splitFlag(word: string): { readonly rawName: string; readonly inline?: string } {
  const equals = word.startsWith("--") ? word.indexOf("=") : -1;
  return equals === -1
    ? { rawName: word }
    : { rawName: word.slice(0, equals), inline: word.slice(equals + 1) };
}

type FlagValues = Record<string, string | boolean | readonly string[]>;

function unknownFlag(rawName: string, known: readonly FlagSpec[]): AlisioError {
  const nearest = nearestName(rawName.replace(/^-+/, ""), known.map(({ name }) => name));
  const advice = nearest === undefined ? "see alisio --help" : `did you mean "--${nearest}"?`;
  return new AlisioError("usage", `Unknown flag "${rawName.slice(0, 80)}": ${advice}`);
}

function flagValue(flag: FlagSpec, rawName: string, value: string | undefined): string | undefined {
  if (flag.kind === "boolean") {
    if (value !== undefined) {
      throw new AlisioError("usage", `Flag "${rawName}" takes no value: write it alone`);
    }
    return undefined;
  }
  if (flag.kind === "optional" && value === undefined) return undefined;
  if (value === undefined || value === "") {
    throw new AlisioError("usage", `Flag "${rawName}" lacks its value: ${rawName} <${flag.value}>`);
  }
  return value;
}

/** A value that is a word of its own: one that looks like a flag is more likely to be one. */
function nextValue(flag: FlagSpec, rawName: string, word: string | undefined): string | undefined {
  const value = flagValue(flag, rawName, word);
  if (value !== undefined && value.startsWith("-") && value !== "-") {
    throw new AlisioError(
      "usage",
      `Flag "${rawName}" lacks its value: "${value.slice(0, 80)}" looks like a flag; ` +
        `write ${rawName}=${value.slice(0, 80)} if it is the value`,
    );
  }
  return value;
}

function commandNamed(name: string): CommandSpec {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  const nearest = nearestName(name, [...COMMANDS.map((candidate) => candidate.name), "version"]);
  const advice = nearest === undefined
    ? `to give a task, write: alisio run "<prompt>"`
    : `did you mean "${nearest === "version" ? "alisio --version" : nearest}"?`;
  throw new AlisioError("usage", `Unknown command "${name.slice(0, 80)}": ${advice}`);
}

function assertFlagsFit(flags: readonly FlagSpec[], command: CommandSpec | undefined): void {
  for (const flag of flags) {
    // Two commands may have a flag of one name, of the same kind.
    const isOfCommand = command?.flags?.some(({ name }) => name === flag.name);
    if (GLOBAL_FLAGS.includes(flag) || isOfCommand === true) continue;
    const owners = COMMANDS
      .filter((candidate) => candidate.flags?.some(({ name }) => name === flag.name))
      .map((candidate) => `"alisio ${candidate.name}"`);
    throw new AlisioError("usage", `Flag "--${flag.name}" belongs to ${owners.join(" and ")}`);
  }
}

function collect(given: readonly GivenFlag[]): FlagValues {
  const values: FlagValues = {};
  for (const { flag, value } of given) {
    if (flag.kind === "boolean") values[flag.name] = true;
    else if (flag.kind === "optional") values[flag.name] = value ?? true;
    else if (flag.kind === "string" && value !== undefined) values[flag.name] = value;
    else if (value !== undefined) {
      const before = values[flag.name];
      values[flag.name] = [...(Array.isArray(before) ? before : []), value];
    }
  }
  return values;
}

function globalFlags(values: FlagValues): GlobalFlags {
  const text = (name: string) => {
    const value = values[name];
    return typeof value === "string" ? value : undefined;
  };
  const list = (name: string): readonly string[] => {
    const value = values[name];
    return Array.isArray(value) ? value : [];
  };
  const optional = {
    cwd: text("cwd"),
    config: text("config"),
    model: text("model"),
    baseUrl: text("base-url"),
    apiMode: text("api-mode"),
    riskProfile: text("risk-profile"),
    agents: text("agents"),
    effort: text("effort"),
    db: text("db"),
  };
  return {
    ...withoutUndefined(optional),
    trustProject: values["trust-project"] === true,
    allowWrite: values["allow-write"] === true,
    allowProcess: values["allow-process"] === true,
    allowExternal: values["allow-external"] === true,
    allowMcp: values["allow-mcp"] === true,
    allowAgents: values["allow-agents"] === true,
    addDir: list("add-dir"),
    readOnly: values["read-only"] === true,
    noSecondWall: values["no-second-wall"] === true,
    plugin: list("plugin"),
    disablePlugin: list("disable-plugin"),
    noHerdr: values["no-herdr"] === true,
    json: values.json === true,
    noTui: values["no-tui"] === true,
    noBanner: values["no-banner"] === true,
    quiet: values.quiet === true,
  };
}

function withoutUndefined<T extends Record<string, unknown>>(
  record: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const defined = Object.entries(record).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
