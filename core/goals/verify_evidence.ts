import type { CheckedEvidence, Evidence } from "./goal.ts";

/** A call of the journal, as far as evidence is held against it. */
export interface RanCall {
  /** Name of the tool. */
  readonly name?: string;
  /** JSON text. */
  readonly arguments: string;
  readonly status: "pending" | "completed";
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
}

/** A command that ran to its end. */
interface RanCommand {
  /** What evidence may name it by, without needless blanks. */
  readonly names: readonly string[];
  /** Those whose exit status is that of the whole. */
  readonly faithful: readonly string[];
  readonly exitCode: number;
}

/** Results may be cut behind their beginning. */
const EXIT_CODE_REGEXP = /^\{"exitCode":(?<code>\d+)[,}]/;
const JOINED_REGEXP = /\s*(?:&&|\|\||[;|\n])\s*/;
const UNFAITHFUL_REGEXP = /\|\||[;|\n]|(?<!&)&(?!&)/;
/** Going to a folder proves nothing. */
const MOVE_REGEXP = /^(?:cd|pushd|popd|export|set)\b/;

/**
 * Holds evidence against the calls of a session. A command counts if it ran to its end as it is
 * quoted, a test if the latest such run succeeded too. Other kinds are left as they are. Pure.
 *
 * @param evidence What the model says.
 * @param calls The calls since the goal was set, oldest first.
 */
export function verifyEvidence(
  evidence: readonly Evidence[],
  calls: readonly RanCall[],
): readonly CheckedEvidence[] {
  const commands = calls.flatMap(commandOf);
  return evidence.map((piece) => {
    if (piece.kind !== "command" && piece.kind !== "test") return piece;
    const detail = plain(piece.detail);
    const verified = piece.kind === "command"
      ? commands.some(({ names }) => names.some((name) => holds(detail, name)))
      : commands.findLast(({ faithful }) => faithful.some((name) => holds(detail, name)))
        ?.exitCode === 0;
    return { ...piece, verified };
  });
}

function commandOf({ name, arguments: args, status, content = [] }: RanCall): RanCommand[] {
  const [first] = content;
  const code = EXIT_CODE_REGEXP.exec(first?.text ?? "")?.groups?.["code"];
  const line = name === undefined ? "" : lineOf(name, args);
  if (status !== "completed" || code === undefined || line === "") return [];
  const whole = plain(line);
  const parts = name === "shell"
    ? line.split(JOINED_REGEXP).map(plain).filter((part) => part !== "" && !MOVE_REGEXP.test(part))
    : [];
  return [{
    names: [whole, ...parts],
    faithful: [whole, ...(UNFAITHFUL_REGEXP.test(line) ? [] : parts)],
    exitCode: Number(code),
  }];
}

function lineOf(name: string, args: string): string {
  const input = parse(args);
  const { command, args: words } = input;
  if (typeof command !== "string") return "";
  if (name === "shell") return command;
  const rest = Array.isArray(words) ? words.filter((word) => typeof word === "string") : [];
  return name === "run_process" ? [command, ...rest].join(" ") : "";
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function plain(text: string): string {
  return text.replace(/[\s`]+/g, " ").trim();
}

/** Whether a command stands in a text as words of its own. */
function holds(text: string, command: string): boolean {
  for (let at = text.indexOf(command); at !== -1; at = text.indexOf(command, at + 1)) {
    const before = text[at - 1] ?? " ";
    const after = text[at + command.length] ?? " ";
    if (!WORD_REGEXP.test(before) && !WORD_REGEXP.test(after)) return true;
  }
  return false;
}

const WORD_REGEXP = /[\w./-]/;
