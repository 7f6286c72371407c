import { type Argument, mayBeLongOption, mayHoldShortOption, mayStartWith } from "./_argument.ts";
import { isPlainSedScript } from "./_sed_script.ts";
import {
  HARMLESS,
  high,
  medium,
  ORDINARY,
  type ProgramRule,
  starting,
  strictest,
  type Verdict,
  whereOption,
} from "./_verdict.ts";

/** The script is a pattern in slashes, and at most one block that pipes nothing. */
const PATTERN_FIRST_REGEXP = /^\s*!?\/(?:[^/\\\n]|\\[^])*\/([^]*)$/;
const AWK_CODE_REGEXP = /system|getline|@|\||close\s*\(/;

/** Rules of programs that filter text. */
export const TEXT_RULES: Readonly<Record<string, ProgramRule>> = {
  sed: judgeSed,
  gsed: judgeSed,
  awk: judgeAwk,
  gawk: judgeAwk,
  mawk: judgeAwk,
  nawk: judgeAwk,
  sort: judgeSort,
  diff3: judgeComparer,
  sdiff: judgeComparer,
  split: judgeSplit,
  shuf: (args) => writesWith(args, "o", "--output"),
  uniq: (args) => secondOperandIsOutput(args),
  xxd: (args) =>
    args.some((arg) => mayHoldShortOption(arg, "r"))
      ? medium("may write a file")
      : secondOperandIsOutput(args),
  tree: (args) => writesWith(args, "oR", "--output"),
  file: (args) => writesWith(args, "C", "--compile"),
  yq: (args) => writesWith(args, "i", "--inplace"),
  rg: judgeRipgrep,
  fd: judgeFd,
  fdfind: judgeFd,
  less: judgePager,
  more: judgePager,
  most: judgePager,
  man: judgeMan,
  sqlite3: judgeSqlite,
};

function judgeSed(args: readonly Argument[]): Verdict {
  const verdicts: Verdict[] = [HARMLESS];
  const scripts: (string | null)[] = [];
  let isScriptGiven = false;
  let operand: Argument | null = null;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index];
    if (arg === undefined) break;
    const { value } = arg;
    if (value === null || !value.startsWith("-") || value === "-") {
      if (value === null && mayStartWith(arg, "-")) {
        if (operand === null && !isScriptGiven) return high(NOT_KNOWN);
        verdicts.push(whereOption([arg], () => true, high(NOT_KNOWN)));
      }
      operand ??= arg;
      continue;
    }
    const expression = /^(?:-[nrEsuz]*e|--e[a-z]*=?)(.*)$/s.exec(value);
    if (expression !== null) {
      isScriptGiven = true;
      const glued = expression[1] ?? "";
      scripts.push(glued !== "" ? glued : args[++index]?.value ?? null);
    } else if (/^(?:-[nrEsuz]*i|--in)/.test(value)) {
      verdicts.push(medium("edits files in place"));
    } else if (/^(?:-[nrEsuz]*f|--fi)/.test(value)) {
      isScriptGiven = true;
      verdicts.push(medium("runs a script of its own from a file"));
      if (/^(?:-[nrEsuz]*f|--file)$/.test(value)) index++;
    } else if (
      !/^(?:-[nrEsuz]+|--(?:quiet|silent|posix|debug|sandbox|version|help|.*-.*))$/.test(value)
    ) {
      return high(NOT_KNOWN);
    }
  }
  if (!isScriptGiven && operand !== null) scripts.push(operand.value);
  const isPlain = scripts.every((script) => script !== null && isPlainSedScript(script));
  if (!isPlain) verdicts.push(starting("may start programs or write files"));
  return strictest(...verdicts);
}

const IS_TOLD = "is told which program to start";
const NOT_KNOWN = "has options that are not known before it runs";

function judgeAwk(args: readonly Argument[]): Verdict {
  const verdicts: Verdict[] = [HARMLESS];
  let program: string | null | undefined;
  for (let index = 0; index < args.length && program === undefined; index++) {
    const value = args[index]?.value ?? null;
    if (value === null) return high(NOT_KNOWN);
    if (value === "--") {
      program = args[index + 1]?.value ?? null;
    } else if (/^-[Fv]/.test(value)) {
      if (value.length === 2) index++;
    } else if (/^(?:-f|--file=)/.test(value)) {
      return ORDINARY;
    } else if (value.startsWith("-")) {
      return high(NOT_KNOWN);
    } else program = value;
  }
  if (program === undefined || program === null) return HARMLESS;
  const code = PATTERN_FIRST_REGEXP.exec(program)?.[1] ?? program;
  if (AWK_CODE_REGEXP.test(code.replaceAll("||", ""))) {
    verdicts.push(starting("may start programs"));
  } else if (code.includes(">")) verdicts.push(medium("may write files"));
  return strictest(...verdicts);
}

function judgeSort(args: readonly Argument[]): Verdict {
  const verdict = writesWith(args, "o", "--output");
  const isTold = (arg: Argument) => mayBeLongOption(arg, "--compress-program");
  return strictest(verdict, whereOption(beforeDashes(args), isTold, starting(IS_TOLD)));
}

function judgeComparer(args: readonly Argument[]): Verdict {
  const isTold = (arg: Argument) => mayBeLongOption(arg, "--diff-program");
  return strictest(ORDINARY, whereOption(beforeDashes(args), isTold, starting(IS_TOLD)));
}

function judgeSplit(args: readonly Argument[]): Verdict {
  const isTold = (arg: Argument) => mayBeLongOption(arg, "--filter");
  const verdict = medium("changes something");
  return strictest(verdict, whereOption(beforeDashes(args), isTold, starting(IS_TOLD)));
}

function judgeRipgrep(args: readonly Argument[]): Verdict {
  const isTold = (arg: Argument) =>
    mayBeLongOption(arg, "--pre") || mayBeLongOption(arg, "--hostname-bin");
  return whereOption(beforeDashes(args), isTold, starting(IS_TOLD));
}

function judgeFd(args: readonly Argument[]): Verdict {
  const isTold = (arg: Argument) =>
    mayHoldShortOption(arg, "xX") || mayBeLongOption(arg, "--exec") ||
    mayBeLongOption(arg, "--exec-batch");
  return whereOption(beforeDashes(args), isTold, starting("starts a program for each file"));
}

function judgePager(args: readonly Argument[]): Verdict {
  const isTold = args.some((arg) =>
    mayStartWith(arg, "+") || mayHoldShortOption(arg, "koOT") ||
    /^--(?:le|lo|LO|t)/.test(arg.prefix)
  );
  return isTold ? starting("may run commands of the pager") : medium("starts a pager");
}

function judgeMan(args: readonly Argument[]): Verdict {
  const isTold = args.some((arg) =>
    mayHoldShortOption(arg, "PHCX") ||
    ["--pager", "--html", "--config-file", "--browser"].some((option) =>
      mayBeLongOption(arg, option)
    )
  );
  return isTold ? starting(IS_TOLD) : medium("starts a pager");
}

/** Statements do as they say; dot-commands and some functions start programs and write files. */
function judgeSqlite(args: readonly Argument[]): Verdict {
  const operands = args.filter(({ prefix }) => !prefix.startsWith("-"));
  const isCode = args.some(({ value, prefix }) =>
    value === null || /(?:^|\n)\s*\./.test(value) && !/^\.{1,2}\/[^\n]*$/.test(value) ||
    /\b(?:load_extension|writefile|edit|readfile|fts3_tokenizer)\s*\(|attach|vacuum/i.test(value) ||
    /^--?(?:cmd|init|A|archive)/.test(prefix)
  );
  if (isCode) return starting("may start programs or write files");
  return operands.length < 2 ? high("reads its commands from its input") : ORDINARY;
}

/** A filter that writes a file when it is given an option. */
function writesWith(args: readonly Argument[], letters: string, option: string): Verdict {
  const options = beforeDashes(args);
  const index = options.findIndex((arg) =>
    mayHoldShortOption(arg, letters) || mayBeLongOption(arg, option)
  );
  if (index === -1) return HARMLESS;
  const value = options[index]?.value ?? "";
  const file = /^(?:-.(.+)|--[a-z]+=(.+))$/s.exec(value);
  const target = file?.[1] ?? file?.[2] ?? options[index + 1]?.value ?? null;
  return medium("may write a file", target === null ? [] : [target]);
}

function secondOperandIsOutput(args: readonly Argument[]): Verdict {
  const operands = args.filter((arg) => !arg.prefix.startsWith("-") || arg.value === "-");
  const isKnown = operands.every(({ value }) => value !== null);
  const target = operands[1]?.value ?? null;
  if (isKnown && target === null) return HARMLESS;
  return medium("may write a file", target === null ? [] : [target]);
}

function beforeDashes(args: readonly Argument[]): readonly Argument[] {
  const end = args.findIndex(({ value }) => value === "--");
  return end === -1 ? args : args.slice(0, end);
}
