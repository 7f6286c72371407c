import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { INTERRUPT, type Keyboard, MAX_WAITING_CHARS } from "./keyboard.ts";
import type { Screen } from "./screen.ts";
import type { Terminal } from "./terminal.ts";

/** What stands for a pasted text of several lines. */
const PASTE_SIGN_REGEXP = /\[paste \d+: \d+ lines\]/g;

/** What a line is read from and shown on. */
export interface LinePorts {
  readonly terminal: Terminal;
  readonly keyboard: Keyboard;
  readonly screen: Screen;
}

/** How a line is read. */
export interface LineRequest {
  /** What stands before it. */
  readonly prompt: string;
  /** Gives up. */
  readonly signal: AbortSignal;
  /** Stops for a while, and answers what stands in the line. */
  readonly pause?: AbortSignal;
  /** Earlier lines, the latest first. */
  readonly history?: readonly string[];
  /** What stands in it at first. */
  readonly draft?: string;
  /**
   * Whether line ends in what is pasted mean nothing.
   *
   * @default false
   */
  readonly isOneLine?: boolean;
}

/**
 * What was typed: a line, or Ctrl+C with what stood in the line, or the end: Ctrl+D in an empty
 * line, a terminal that is gone, a signal that aborted; or what stands in a line that is to wait.
 */
export type LineAnswer =
  | {
    readonly kind: "line";
    readonly text: string;
    /** The line as it stood there, with a sign in the place of each long paste. */
    readonly typed: string;
  }
  | { readonly kind: "interrupt"; readonly typed: string }
  | { readonly kind: "paused"; readonly typed: string }
  | { readonly kind: "end" };

/**
 * Reads one line, with the keys that people know from their shell. A pasted text never ends the
 * line, however many line ends it holds.
 *
 * @param ports Where from.
 * @param request How.
 */
export async function readLine(ports: LinePorts, request: LineRequest): Promise<LineAnswer> {
  return await edit(ports, request, (answer) => answer);
}

/**
 * Reads lines up to one that holds only a dot, or the end.
 *
 * @param ports Where from.
 * @param request How.
 * @param maxChars How much is read; more ends it too.
 * @returns Null when Ctrl+C or the signal gave up.
 */
export async function readLines(
  ports: LinePorts,
  request: LineRequest,
  maxChars: number,
): Promise<string | null> {
  const lines: string[] = [];
  let chars = 0;
  return await edit(ports, request, (answer) => {
    if (answer.kind === "interrupt" || answer.kind === "paused") return null;
    if (request.signal.aborted) return null;
    if (answer.kind === "end" || answer.text === ".") return lines.join("\n");
    lines.push(answer.text);
    chars += answer.text.length + 1;
    return chars < maxChars ? undefined : lines.join("\n");
  });
}

/** Edits lines until one decides: `decide` answers undefined to go on with another one. */
async function edit<T>(
  ports: LinePorts,
  request: LineRequest,
  decide: (answer: LineAnswer) => T | undefined,
): Promise<T> {
  const { terminal, keyboard, screen } = ports;
  const { signal } = request;
  const { promise, resolve } = Promise.withResolvers<T>();
  const pastes = new Map<string, string>();
  // Events are emitted by hand: what they do is done before the next key is looked at.
  const input = new Readable({ read() {} });
  const editor = createInterface({
    input,
    output: createWritable(screen, terminal),
    terminal: true,
    prompt: request.prompt,
    history: [...request.history ?? []],
    tabSize: 4,
  });
  const answer = (given: LineAnswer): void => {
    const decided = decide(given);
    if (decided === undefined) return editor.prompt();
    giveBack();
    resolve(decided);
  };
  editor.on("line", (typed) => answer({ kind: "line", typed, text: withPastes(typed, pastes) }));
  editor.on("SIGINT", () => answer({ kind: "interrupt", typed: editor.line }));
  editor.on("close", () => answer({ kind: "end" }));
  editor.on("SIGTSTP", () => {
    screen.freshLine();
    terminal.suspend(() => editor.prompt(true));
  });
  const insert = (pasted: string): void => {
    const text = request.isOneLine === true ? pasted.replace(/\s*\n\s*/g, "") : pasted;
    const isLong = text.includes("\n");
    const sign = `[paste ${pastes.size + 1}: ${text.split("\n").length} lines]`;
    if (isLong) pastes.set(sign, text);
    editor.write(isLong ? sign : text.replaceAll("\t", " "));
  };
  const giveBack = keyboard.give({
    take({ kind, text }) {
      if (kind === "paste") insert(text);
      else if (fits(editor.line, text)) input.emit("data", text);
    },
    end: () => answer({ kind: "end" }),
  });
  const abort = (): void => answer({ kind: "end" });
  signal.addEventListener("abort", abort, { once: true });
  const pause = (): void => answer({ kind: "paused", typed: withPastes(editor.line, pastes) });
  request.pause?.addEventListener("abort", pause, { once: true });
  try {
    if (signal.aborted || keyboard.isClosed) abort();
    else {
      editor.prompt();
      if (request.draft !== undefined && request.draft !== "") insert(request.draft);
    }
    return await promise;
  } finally {
    signal.removeEventListener("abort", abort);
    request.pause?.removeEventListener("abort", pause);
    editor.removeAllListeners();
    editor.close();
    screen.freshLine();
  }
}

function createWritable(screen: LinePorts["screen"], terminal: Terminal): Writable {
  const writable = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      screen.print(String(chunk));
      done();
    },
  });
  return Object.defineProperties(writable, {
    columns: { get: () => terminal.size().columns },
    rows: { get: () => terminal.size().rows },
  });
}

/** Keys that end or stop the line always count; a line has an end otherwise too. */
function fits(line: string, keys: string): boolean {
  return line.length + keys.length <= MAX_WAITING_CHARS || /^[\r\n]$/.test(keys) ||
    keys === INTERRUPT;
}

function withPastes(line: string, pastes: ReadonlyMap<string, string>): string {
  return line.replace(PASTE_SIGN_REGEXP, (sign) => pastes.get(sign) ?? sign);
}
