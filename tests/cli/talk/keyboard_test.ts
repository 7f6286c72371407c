import assert from "node:assert/strict";
import { Keyboard, type KeyboardInput, MAX_WAITING_CHARS } from "../../../cli/talk/keyboard.ts";
import type { Terminal } from "../../../cli/talk/terminal.ts";

/** Reads what was typed in pieces, to the end. */
async function typeAll(
  pieces: readonly (string | Uint8Array)[],
  begin: (keyboard: Keyboard) => void = () => {},
): Promise<Keyboard> {
  const left = pieces.map((piece) =>
    typeof piece === "string" ? new TextEncoder().encode(piece) : piece
  );
  const terminal: Terminal = {
    read: () => Promise.resolve(left.shift() ?? null),
    setRaw() {},
    suspend() {},
    size: () => ({ columns: 80, rows: 24 }),
    hasColour: false,
    hasSequences: true,
  };
  const keyboard = new Keyboard(terminal);
  begin(keyboard);
  await keyboard.listen();
  return keyboard;
}

async function inputsOf(...pieces: readonly (string | Uint8Array)[]): Promise<KeyboardInput[]> {
  const inputs: KeyboardInput[] = [];
  await typeAll(pieces, (keyboard) => {
    keyboard.give({ take: (input) => void inputs.push(input), end() {} });
  });
  return inputs;
}

const keys = (text: string): KeyboardInput => ({ kind: "keys", text });
const paste = (text: string): KeyboardInput => ({ kind: "paste", text });

Deno.test("Keyboard hands out keys up to one that may end a line", async () => {
  assert.deepEqual(await inputsOf("ab\rc\x03d\x04\n"), [
    keys("ab\r"),
    keys("c\x03"),
    keys("d\x04"),
    keys("\n"),
  ]);
  const [first, second] = [new Uint8Array([0xe2, 0x82]), new Uint8Array([0xac])];
  assert.deepEqual(await inputsOf(first, second), [keys("€")]);
});

Deno.test("Keyboard tells a pasted text from keys, wherever it is cut", async () => {
  const whole = "a\x1b[200~one\r\ntwo\x1b[31m\x03\n\x1b[201~b\r";
  const expected = [keys("a"), paste("one\ntwo[31m\n"), keys("b\r")];
  assert.deepEqual(await inputsOf(whole), expected);
  for (let at = 1; at < whole.length; at++) {
    const inputs = await inputsOf(whole.slice(0, at), whole.slice(at));
    assert.deepEqual(joinKeys(inputs), expected, `cut at ${at}`);
  }
});

/** Keys that follow each other, as one, where no line ends. */
function joinKeys(inputs: readonly KeyboardInput[]): readonly KeyboardInput[] {
  const joined: KeyboardInput[] = [];
  for (const input of inputs) {
    const last = joined.at(-1);
    if (input.kind === "keys" && last?.kind === "keys" && !/[\r\n]$/.test(last.text)) {
      joined[joined.length - 1] = keys(last.text + input.text);
    } else joined.push(input);
  }
  return joined;
}

Deno.test("Keyboard passes sequences of keys on, and takes Escape alone for nothing", async () => {
  assert.deepEqual(joinKeys(await inputsOf("\x1b[A", "\x1bOH", "\x1b[", "D")), [
    keys("\x1b[A\x1bOH\x1b[D"),
  ]);
  assert.deepEqual(await inputsOf("\x1b", "y\r"), [keys("y\r")]);
});

Deno.test("Keyboard lets Ctrl+C through a paste that is never ended, and bounds one", async () => {
  assert.deepEqual(await inputsOf("\x1b[200~never ended", "\x03"), [keys("\x03")]);
  const long = "x".repeat(MAX_WAITING_CHARS + 10);
  const [first] = await inputsOf("\x1b[200~", long, "\x1b[201~");
  assert.deepEqual(first, paste(long.slice(0, MAX_WAITING_CHARS)));
});

Deno.test("Keyboard keeps what nobody reads as a draft, and stops on Ctrl+C", async () => {
  let interrupts = 0;
  const typed = await typeAll(["next \x1b[Dthing\r", "more\r"]);
  assert.equal(typed.takeDraft(), "next thing\nmore");
  assert.equal(typed.takeDraft(), "");
  const stopped = await typeAll(["half\x03", "after"], (keyboard) => {
    keyboard.onInterrupt = () => void interrupts++;
  });
  assert.equal(interrupts, 1);
  assert.equal(stopped.takeDraft(), "after");
  const long = await typeAll(Array.from({ length: 5 }, () => "x".repeat(MAX_WAITING_CHARS / 3)));
  assert.equal(long.takeDraft().length, MAX_WAITING_CHARS);
});

Deno.test("Keyboard tells its reader once that the terminal is gone", async () => {
  let ends = 0;
  const keyboard = await typeAll([], (each) => void each.give({ take() {}, end: () => ends++ }));
  assert.equal(ends, 1);
  assert.ok(keyboard.isClosed);
});
