import { type Argument, mayHoldShortOption } from "./_argument.ts";
import {
  HARMLESS,
  high,
  medium,
  type ProgramRule,
  starting,
  strictest,
  type Verdict,
} from "./_verdict.ts";

const NAME_REGEXP = /^[A-Za-z_]\w*/;
const DECLARE_EVALUATES = "iA";

/** Rules of commands that the shell runs itself. */
export const BUILTIN_RULES: Readonly<Record<string, ProgramRule>> = {
  test: judgeTest,
  "[": judgeTest,
  printf: judgePrintf,
  read: (args) => judgeAssigned(args),
  mapfile: judgeMapfile,
  readarray: judgeMapfile,
  getopts: (args) => judgeAssigned(args),
  unset: (args) => judgeAssigned(args),
  export: judgeDeclare,
  readonly: judgeDeclare,
  declare: judgeTypeset,
  typeset: judgeTypeset,
  local: judgeTypeset,
  let: (args) => strictest(medium("computes with variables"), ...args.map(judgeSubscript)),
  wait: (args) => args.some(({ value }) => value === "-p") ? judgeAssigned(args) : HARMLESS,
  set: judgeSet,
  shopt: () => high("changes how the shell reads the rest"),
  alias: () => high("changes what names mean"),
  unalias: () => high("changes what names mean"),
  enable: () => high("changes what names mean, or loads code"),
  hash: judgeHash,
  bind: () => high("binds commands to keys"),
  complete: () => high("binds commands to completions"),
  compgen: () => high("may run commands"),
  fc: () => high("runs commands of the history"),
  jobs: (args) =>
    args.some((arg) => mayHoldShortOption(arg, "x")) ? high("runs a command") : HARMLESS,
  umask: (args) => args.length === 0 ? HARMLESS : medium("changes the rights of new files"),
  ulimit: (args) => args.length === 0 ? HARMLESS : medium("changes limits"),
};

/**
 * Judges the operands of `[[`, some of which bash computes as expressions.
 *
 * @param words The operands.
 */
export function judgeDoubleBracket(words: readonly Argument[]): Verdict {
  const computes = words.some(({ value }) => /^-(?:eq|ne|lt|le|gt|ge|v|R)$/.test(value ?? ""));
  if (!computes) return HARMLESS;
  const isUnknown = words.some(({ value }) => value === null);
  return strictest(
    isUnknown ? medium("computes with variables") : HARMLESS,
    ...words.map(judgeSubscript),
  );
}

function judgeTest(args: readonly Argument[]): Verdict {
  // Only `-v` takes a name, and with it a subscript that is computed.
  if (!args.some(({ value }) => value === null || value === "-v" || value === "-R")) {
    return HARMLESS;
  }
  return strictest(HARMLESS, ...args.map(judgeSubscript));
}

/** The option `-v` may be given more than once, and the last one counts. */
function judgePrintf(args: readonly Argument[]): Verdict {
  const targets: Argument[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index];
    const name = /^-v(.*)$/s.exec(arg?.prefix ?? "")?.[1];
    if (arg === undefined || name === undefined) break;
    const target = name === "" && arg.value !== null ? args[++index] : {
      ...arg,
      value: arg.value === null ? null : name,
      prefix: name,
    };
    if (target !== undefined) targets.push(target);
  }
  return judgeAssigned(targets);
}

function judgeMapfile(args: readonly Argument[]): Verdict {
  const calls = args.some((arg) => mayHoldShortOption(arg, "C"));
  return calls ? starting("runs a command for its input") : judgeAssigned(args);
}

function judgeDeclare(args: readonly Argument[]): Verdict {
  const verdict = judgeAssigned(args);
  return args.some((arg) => mayHoldShortOption(arg, DECLARE_EVALUATES))
    ? strictest(verdict, medium("computes with variables"))
    : verdict;
}

/** With `-n`, setting one variable sets another. */
function judgeTypeset(args: readonly Argument[]): Verdict {
  const verdict = judgeDeclare(args);
  return args.some((arg) => mayHoldShortOption(arg, "n"))
    ? strictest(verdict, high("gives a variable another name"))
    : verdict;
}

/** Names among the arguments are set, and a subscript of a name is computed. */
function judgeAssigned(args: readonly Argument[]): Verdict {
  const variables = args.flatMap(({ prefix }) => NAME_REGEXP.exec(prefix)?.[0] ?? []);
  const isUnknown = args.some(({ prefix, value }) => value === null && prefix === "");
  return strictest(
    { ...HARMLESS, variables },
    isUnknown ? high("sets a variable that is not known before it runs") : HARMLESS,
    ...args.map(judgeSubscript),
  );
}

/** Bash runs the substitutions inside a subscript, quoted or not. */
function judgeSubscript(arg: Argument): Verdict {
  const text = arg.value ?? arg.source;
  return text.includes("[") && /\$|`/.test(text)
    ? high("holds a subscript that the shell would run")
    : HARMLESS;
}

function judgeSet(args: readonly Argument[]): Verdict {
  for (const [index, { value }] of args.entries()) {
    if (value === "--") break;
    const isOptionName = /^[-+][a-zA-Z]*o$/.test(args[index - 1]?.value ?? "");
    const isKnown = isOptionName
      ? /^(?:pipefail|errexit|nounset|xtrace|noglob|noclobber|verbose|errtrace|functrace)$/.test(
        value ?? "",
      )
      : /^[-+][euxvfCEST]*o?$/.test(value ?? "");
    if (!isKnown) return high("changes how the shell reads the rest");
  }
  return HARMLESS;
}

function judgeHash(args: readonly Argument[]): Verdict {
  const only = args.every(({ value }) => value === "-r" || value === "-l" || value === "-t");
  return only ? HARMLESS : high("changes what names mean");
}
