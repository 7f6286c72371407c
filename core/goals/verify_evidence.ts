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

/** A call that permission refused. */
export interface Refusal {
  /** Name of the tool. */
  readonly tool: string;
  /** What it would have done, such as a command; may be cut, and empty. */
  readonly summary: string;
  /** Why it was refused, as the model was told. */
  readonly reason: string;
}

/** What evidence is held against: all of it since the goal was set. */
export interface Journal {
  /** Commands, in the order of their ends. */
  readonly commands: readonly RanCall[];
  /** Calls that were refused. */
  readonly refusals: readonly Refusal[];
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
const JOINED_REGEXP = /\s*(?:&&|\|\||[;|\n])\s*/g;
/** What a shell takes as it stands. */
const TEXT_REGEXP = /\\[^]|"(?:\\[^]|[^"\\])*"|'[^']*'/g;
const COMMENT_REGEXP = /(?:^|[\s;&|()])#/;
const UNFAITHFUL_REGEXP = /\|\||[;|\n]|(?<!&)&(?!&)/;
/** Going to a folder proves nothing. */
const MOVE_REGEXP = /^(?:cd|pushd|popd|export|set)\b/;

/**
 * Holds evidence against the record of a session. A command counts if it ran to its end as it is
 * quoted, a test if the latest such run succeeded too, a refusal if it names the tool, the command or
 * the reason of one. Other kinds are left as they are. Pure.
 *
 * @param evidence What the model says.
 * @param journal What happened since the goal was set.
 */
export function verifyEvidence(
  evidence: readonly Evidence[],
  { commands: calls, refusals }: Journal,
): readonly CheckedEvidence[] {
  const commands = calls.flatMap(commandOf);
  return evidence.map((piece) => {
    const detail = plain(piece.detail);
    switch (piece.kind) {
      case "command": {
        const ran = commands.some(({ names }) => names.some((name) => holds(detail, name)));
        return { ...piece, verified: ran };
      }
      case "test": {
        const last = commands.findLast(({ faithful }) =>
          faithful.some((name) => holds(detail, name))
        );
        return { ...piece, verified: last?.exitCode === 0 };
      }
      case "denied":
        return { ...piece, verified: refusals.some((refusal) => isNamed(refusal, detail)) };
      default:
        return piece;
    }
  });
}

/**
 * Whether the record bears out that a goal is complete: something of its evidence was looked up, and
 * all of that was found. Pure.
 *
 * @param goal The goal, which the model says is complete.
 */
export function isBorneOut(
  { evidence }: { readonly evidence: readonly CheckedEvidence[] },
): boolean {
  const lookedUp = evidence.filter(({ verified }) => verified !== undefined);
  return lookedUp.length > 0 && lookedUp.every(({ verified }) => verified === true);
}

function isNamed({ tool, summary, reason }: Refusal, detail: string): boolean {
  return [tool, summary, reason].map(plain).some((text) => text !== "" && holds(detail, text));
}

function commandOf({ name, arguments: args, status, content = [] }: RanCall): RanCommand[] {
  const [first] = content;
  const code = EXIT_CODE_REGEXP.exec(first?.text ?? "")?.groups?.["code"];
  const line = name === undefined ? "" : lineOf(name, args);
  if (status !== "completed" || code === undefined || line === "") return [];
  const whole = plain(line);
  const joined = withoutTexts(line);
  const parts = name === "shell" && joined !== null
    ? partsOf(line, joined).map(plain).filter((part) => part !== "" && !MOVE_REGEXP.test(part))
    : [];
  // Behind "||", and behind what failed, stands what may not have run at all.
  const mayBeLeftOut = joined?.includes("||") === true ||
    (joined?.includes("&&") === true && Number(code) !== 0);
  return [{
    names: [whole, ...(mayBeLeftOut ? parts.slice(0, 1) : parts)],
    faithful: [whole, ...(UNFAITHFUL_REGEXP.test(joined ?? "") ? [] : parts)],
    exitCode: Number(code),
  }];
}

/**
 * A command line with signs in place of what is quoted, of the same length; null where it holds a
 * comment, or a quote that does not end.
 */
function withoutTexts(line: string): string | null {
  const bare = line.replace(TEXT_REGEXP, (text) => "_".repeat(text.length));
  return COMMENT_REGEXP.test(bare) || /["'`]/.test(bare) ? null : bare;
}

/** What stands between the joints of a line, which are looked for outside of texts. */
function partsOf(line: string, joined: string): readonly string[] {
  const joints = [...joined.matchAll(JOINED_REGEXP)];
  const starts = [0, ...joints.map(({ index, 0: text }) => index + text.length)];
  return starts.map((start, at) => line.slice(start, joints[at]?.index ?? line.length));
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
