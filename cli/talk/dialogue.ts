import { visibleCommand } from "../../core/gate/shell/visible_command.ts";
import { QUESTION_MARK, withoutQuestionMark } from "../../core/text/question_mark.ts";
import { type LineAnswer, type LinePorts, readLine } from "./read_line.ts";
import { layOut } from "./rows.ts";

/** What a question is asked with. */
export interface DialoguePorts extends LinePorts {
  /**
   * How long nothing may be typed before a question takes an answer: what was meant for something
   * else must not answer it.
   */
  readonly quietMs: number;
  /** Stops the run: the person pressed Ctrl+C. */
  readonly interrupt: () => void;
}

const BOLD = "\x1b[1m";
const PLAIN = "\x1b[0m";

/** Prints a line that Alisio itself says, with the sign that nothing else can print. */
export function printHeading({ screen, terminal }: DialoguePorts, text: string): void {
  const columns = terminal.size().columns - QUESTION_MARK.length - 1;
  // A name in it must not begin a line of its own.
  const line = text.replaceAll("\n", "\\x0a");
  const { rows } = layOut(wrapWords(line, columns - 1), {
    columns,
    prefix: "",
    continuation: "",
    hasColour: terminal.hasColour,
  });
  screen.freshLine();
  for (const row of rows) {
    screen.print(
      terminal.hasColour ? `${BOLD}${QUESTION_MARK} ${row}${PLAIN}\n` : `${QUESTION_MARK} ${row}\n`,
    );
  }
}

/** Breaks a line between words, where they fit. */
function wrapWords(text: string, width: number): string {
  let length = 0;
  return text.split(" ").map((word, index) => {
    const isFirst = index === 0;
    const shown = visibleCommand(withoutQuestionMark(word)).text.length;
    const goesOn = isFirst || length + 1 + shown <= width;
    length = goesOn ? length + shown + (isFirst ? 0 : 1) : shown;
    return isFirst ? word : `${goesOn ? " " : "\n"}${word}`;
  }).join("");
}

/**
 * Prints a text that others wrote, behind a prefix on every row.
 *
 * @param ports Where.
 * @param text The text.
 * @param prefix Begins each row.
 */
export function printText(ports: DialoguePorts, text: string, prefix = "  "): void {
  const { screen, terminal } = ports;
  const { columns } = terminal.size();
  const style = { columns, prefix, hasColour: terminal.hasColour };
  const { rows } = layOut(text, { ...style, continuation: prefix.replace("│", "┊") });
  screen.freshLine();
  for (const row of rows) screen.print(`${row}\n`);
}

/**
 * Reads an answer. Whatever was typed before the question could be read is dropped.
 *
 * @param ports Where from.
 * @param prompt What stands before it.
 * @param signal Takes the question back.
 */
export async function readAnswer(
  ports: DialoguePorts,
  prompt: string,
  signal: AbortSignal,
): Promise<LineAnswer> {
  const { screen, keyboard } = ports;
  await screen.flush();
  if (await dropTyped(ports, signal)) {
    printHeading(ports, "What was typed before the question does not answer it");
  }
  const answer = await readLine(ports, { prompt: `${QUESTION_MARK} ${prompt}`, signal });
  keyboard.takeDraft();
  if (answer.kind === "interrupt") ports.interrupt();
  return answer;
}

/** Waits for a quiet keyboard. Answers whether something was typed meanwhile, or before. */
async function dropTyped(
  { keyboard, quietMs }: DialoguePorts,
  signal: AbortSignal,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = (): void => resolve();
  let timer = setTimeout(done, quietMs);
  keyboard.onInput = () => {
    clearTimeout(timer);
    timer = setTimeout(done, quietMs);
  };
  signal.addEventListener("abort", done, { once: true });
  if (signal.aborted || keyboard.isClosed) done();
  await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", done);
  keyboard.onInput = () => {};
  return keyboard.takeDraft() !== "";
}

/**
 * Asks something that only `y` and `yes` confirm.
 *
 * @param ports What it asks with.
 * @param question What it asks.
 * @param signal Takes it back.
 */
export async function confirm(
  ports: DialoguePorts,
  question: string,
  signal: AbortSignal,
): Promise<boolean> {
  printHeading(ports, question);
  const answer = await readAnswer(ports, "y/n: ", signal);
  return answer.kind === "line" && /^y(?:es)?$/i.test(answer.typed.trim());
}
