import { type Argument, mayBeLongOption, mayHoldShortOption, mayStartWith } from "./_argument.ts";
import {
  HARMLESS,
  high,
  ORDINARY,
  type ProgramRule,
  refusing,
  strictest,
  type Verdict,
} from "./_verdict.ts";

/** How an interpreter takes code from its command line. */
interface InlineOptions {
  /** Short options that take code, or something that is as good as code. */
  readonly letters: string;
  /** Long ones. */
  readonly long: readonly string[];
}

const INTERPRETERS: Readonly<Record<string, InlineOptions>> = {
  perl: { letters: "eEMmd", long: [] },
  ruby: { letters: "e", long: [] },
  php: {
    letters: "rBREadS",
    long: ["--run", "--process-begin", "--process-code", "--process-end"],
  },
  lua: { letters: "e", long: [] },
  luajit: { letters: "e", long: [] },
  Rscript: { letters: "e", long: [] },
  julia: { letters: "eEp", long: ["--eval", "--print"] },
  elixir: { letters: "e", long: ["--eval", "--rpc-eval"] },
  erl: { letters: "ers", long: [] },
  osascript: { letters: "e", long: [] },
  guile: { letters: "c", long: [] },
  racket: { letters: "e", long: ["--eval"] },
  sbcl: { letters: "", long: ["--eval", "--load"] },
  ghc: { letters: "e", long: [] },
  groovy: { letters: "e", long: [] },
  scala: { letters: "e", long: [] },
  swift: { letters: "e", long: [] },
  tclsh: { letters: "", long: [] },
  tsx: { letters: "ep", long: ["--eval", "--print"] },
  "ts-node": { letters: "ep", long: ["--eval", "--print"] },
};

const STANDARD_INPUT_REGEXP = /^(?:-|\/dev\/stdin|\/dev\/fd\/\d+|\/proc\/self\/fd\/\d+)$/;
const INFORMATION_REGEXP = /^(?:-V|-VV|-v|-h|--version|--help|--help-all|--v8-options)$/;
const INLINE_CODE = "runs the code that it is given";
const CODE_FROM_INPUT = "reads a program from its input";

/** Rules of interpreters, by name. */
export const INTERPRETER_RULES: Readonly<Record<string, ProgramRule>> = {
  python: judgePython,
  node: judgeNode,
  ...Object.fromEntries(
    Object.entries(INTERPRETERS).map(([name, options]) => [
      name.toLowerCase(),
      (args: readonly Argument[]) => judgeInterpreter(args, options),
    ]),
  ),
};

function judgeInterpreter(args: readonly Argument[], options: InlineOptions): Verdict {
  const isInline = args.some((arg) =>
    mayHoldShortOption(arg, options.letters) ||
    options.long.some((option) => mayBeLongOption(arg, option))
  );
  if (isInline) return high(INLINE_CODE);
  if (args.length > 0 && args.every(({ value }) => INFORMATION_REGEXP.test(value ?? ""))) {
    return HARMLESS;
  }
  const script = args.find((arg) => !mayStartWith(arg, "-"));
  const readsInput = args.some(({ value }) => STANDARD_INPUT_REGEXP.test(value ?? ""));
  return script === undefined || readsInput ? high(CODE_FROM_INPUT) : ORDINARY;
}

const PYTHON_FLAGS = "bBdEhIiOPqsStuvVxR3";
const PYTHON_VALUED = "WXQ";

/**
 * Judges `python`. A word that begins with `-c` or `-m` is refused wherever it stands: a script may
 * hand its arguments on, and the refusal is meant to be simple.
 */
function judgePython(args: readonly Argument[]): Verdict {
  const refused = args.some(({ prefix }) => /^-[cm]/.test(prefix));
  const verdict = judgePythonOptions(args);
  return refused ? refusing(verdict, '"python" with "-c" or "-m"') : verdict;
}

function judgePythonOptions(args: readonly Argument[]): Verdict {
  let tellsOnly = false;
  for (let index = 0; index < args.length; index++) {
    const value = args[index]?.value ?? null;
    if (value === null) return refuseCode("python", INLINE_CODE);
    if (STANDARD_INPUT_REGEXP.test(value)) return refuseCode("python", CODE_FROM_INPUT);
    if (!value.startsWith("-")) return ORDINARY;
    if (value.startsWith("--")) {
      tellsOnly ||= INFORMATION_REGEXP.test(value);
      if (value === "--check-hash-based-pycs") index++;
      continue;
    }
    const outcome = readPythonCluster(value.slice(1));
    if (outcome === "inline") return refuseCode("python", INLINE_CODE);
    if (outcome === "takes-next") index++;
    tellsOnly ||= INFORMATION_REGEXP.test(value);
  }
  return tellsOnly ? HARMLESS : refuseCode("python", CODE_FROM_INPUT);
}

function readPythonCluster(letters: string): "flags" | "takes-next" | "inline" {
  for (const [index, letter] of [...letters].entries()) {
    if (PYTHON_VALUED.includes(letter)) {
      return index === letters.length - 1 ? "takes-next" : "flags";
    }
    if (!PYTHON_FLAGS.includes(letter)) return "inline";
  }
  return "flags";
}

const NODE_INLINE_REGEXP = /^(?:-e|--eval|-p|--print)/;
const NODE_VALUED_REGEXP =
  /^(?:-r|--require|-C|--conditions|--import|--loader|--experimental-loader|--title|--env-file)$/;
/** Options of `node` that are known not to take the next word. */
const NODE_FLAG_REGEXP = new RegExp(
  "^--(?:[a-z0-9-]+=.*|no-[a-z-]+|test|test-only|watch|inspect|inspect-brk|enable-source-maps|check|prof" +
    "|expose-gc|throw-deprecation|pending-deprecation|permission|preserve-symlinks|preserve-symlinks-main" +
    "|trace-warnings|trace-uncaught|trace-exit|trace-deprecation|trace-gc|harmony[a-z_-]*" +
    "|experimental-(?:vm-modules|strip-types|transform-types|detect-module|require-module|test-coverage" +
    "|websocket|permission|modules|json-modules|wasm-modules|fetch|repl-await|sqlite|eventsource))$",
  "s",
);

function judgeNode(args: readonly Argument[]): Verdict {
  const refused = args.some(({ prefix }) => NODE_INLINE_REGEXP.test(prefix));
  const verdict = refused ? refuseCode("node", INLINE_CODE) : judgeNodeOptions(args);
  const loads = args.some(({ prefix }) => /^(?:--[a-z-]+=)?(?:data|https?):/.test(prefix));
  return loads ? strictest(verdict, refuseCode("node", INLINE_CODE)) : verdict;
}

function judgeNodeOptions(args: readonly Argument[]): Verdict {
  let tellsOnly = false;
  for (let index = 0; index < args.length; index++) {
    const value = args[index]?.value ?? null;
    if (value === null) return refuseCode("node", INLINE_CODE);
    if (STANDARD_INPUT_REGEXP.test(value)) return refuseCode("node", CODE_FROM_INPUT);
    if (!value.startsWith("-")) return ORDINARY;
    if (NODE_VALUED_REGEXP.test(value)) index++;
    else if (INFORMATION_REGEXP.test(value)) tellsOnly = true;
    else if (!NODE_FLAG_REGEXP.test(value) && value !== "-c") {
      return refuseCode("node", INLINE_CODE);
    } else tellsOnly ||= value === "--test";
  }
  return tellsOnly ? ORDINARY : refuseCode("node", CODE_FROM_INPUT);
}

function refuseCode(program: string, reason: string): Verdict {
  return refusing(high(reason), `"${program}" with code in place of a script`);
}
