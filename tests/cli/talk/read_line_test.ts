import assert from "node:assert/strict";
import { type LineAnswer, readLine, readLines } from "../../../cli/talk/read_line.ts";
import { openFakeTerminal } from "./_fake_terminal.ts";

interface Setting {
  readonly history?: readonly string[];
  readonly draft?: string;
}

/** Types into one line, piece by piece, and answers what came of it and what was shown. */
async function lineOf(
  pieces: readonly string[],
  setting: Setting = {},
): Promise<{ readonly answer: LineAnswer; readonly shown: string }> {
  const fake = openFakeTerminal();
  const reading = readLine(fake.ports, {
    prompt: "> ",
    signal: new AbortController().signal,
    ...setting,
  });
  await fake.until(/> /);
  for (const piece of pieces) await fake.type(piece);
  const answer = await reading;
  await fake.ports.screen.flush();
  await fake.hangUp();
  return { answer, shown: fake.shown() };
}

const line = (text: string, typed = text): LineAnswer => ({ kind: "line", text, typed });

Deno.test("readLine() knows the keys of a shell", async () => {
  const rows: readonly (readonly [keys: string, setting: Setting, expected: LineAnswer])[] = [
    ["abc\r", {}, line("abc")],
    ["abc\x1b[D\x1b[DX\r", {}, line("aXbc")],
    ["one two\x17three\r", {}, line("one three")],
    ["abc\x01X\x05Y\r", {}, line("XabcY")],
    ["gone\x15kept\r", {}, line("kept")],
    ["\x1b[A\r", { history: ["latest", "first"] }, line("latest")],
    ["\x1b[A\x1b[A!\r", { history: ["latest", "first"] }, line("first!")],
    ["漢字\x7f\r", {}, line("漢")],
    ["\x03", {}, { kind: "interrupt", typed: "" }],
    ["half\x03", {}, { kind: "interrupt", typed: "half" }],
    ["\x04", {}, { kind: "end" }],
    ["ab\x1b[D\x04\r", {}, line("a")],
  ];
  for (const [keys, setting, expected] of rows) {
    assert.deepEqual((await lineOf([keys], setting)).answer, expected, JSON.stringify(keys));
  }
});

Deno.test("readLine() hands the terminal back on Ctrl+Z, and shows the line again", async () => {
  const fake = openFakeTerminal();
  const reading = readLine(fake.ports, { prompt: "> ", signal: new AbortController().signal });
  await fake.until(/> $/);
  await fake.type("half\x1a");
  await fake.until(/> half\n> half$/);
  assert.equal(fake.suspensions(), 1);
  await fake.type(" and half\r");
  assert.deepEqual(await reading, line("half and half"));
  await fake.hangUp();
});

Deno.test("readLine() takes a pasted text for a part of the line", async () => {
  const rows: readonly (readonly [keys: readonly string[], expected: LineAnswer])[] = [
    [["a \x1b[200~b\tc\x1b[201~ d\r"], line("a b c d")],
    [["x \x1b[200~1\n2\n\x1b[201~", " y\r"], line("x 1\n2\n y", "x [paste 1: 3 lines] y")],
    [
      ["\x1b[200~1\n[paste 2: 2 lines]\x1b[201~\x1b[200~3\n4\x1b[201~\r"],
      line("1\n[paste 2: 2 lines]3\n4", "[paste 1: 2 lines][paste 2: 2 lines]"),
    ],
    [["[paste 1: 2 lines]\r"], line("[paste 1: 2 lines]")],
  ];
  for (const [keys, expected] of rows) {
    assert.deepEqual((await lineOf(keys)).answer, expected, JSON.stringify(keys));
  }
});

Deno.test("readLine() begins with a draft, which is not sent before Enter", async () => {
  assert.deepEqual((await lineOf([" more\r"], { draft: "typed before" })).answer, {
    kind: "line",
    text: "typed before more",
    typed: "typed before more",
  });
  const { answer, shown } = await lineOf(["\r"], { draft: "one\ntwo" });
  assert.deepEqual(answer, line("one\ntwo", "[paste 1: 2 lines]"));
  assert.match(shown, /> \[paste 1: 2 lines\]/);
});

Deno.test("readLine() ends with its signal and with the terminal", async () => {
  const fake = openFakeTerminal();
  const stop = new AbortController();
  const request = { prompt: "> ", signal: stop.signal };
  const reading = readLine(fake.ports, request);
  await fake.until(/> $/);
  stop.abort();
  assert.deepEqual(await reading, { kind: "end" });
  assert.deepEqual(await readLine(fake.ports, request), { kind: "end" });
  const other = readLine(fake.ports, { prompt: "> ", signal: new AbortController().signal });
  await fake.hangUp();
  assert.deepEqual(await other, { kind: "end" });
});

Deno.test("readLines() reads up to a dot, the end or a limit, also when all comes at once", async () => {
  const rows: readonly (readonly [keys: string, maxChars: number, expected: string | null])[] = [
    ["a\r\rb\r.\rrest", 100, "a\n\nb"],
    ["a\r\x04", 100, "a"],
    ["a\r\x03", 100, null],
    ["aaa\rbbb\rccc\r", 8, "aaa\nbbb"],
  ];
  for (const [keys, maxChars, expected] of rows) {
    const fake = openFakeTerminal();
    const { signal } = new AbortController();
    const reading = readLines(fake.ports, { prompt: "> ", signal }, maxChars);
    await fake.until(/> $/);
    await fake.type(keys);
    assert.equal(await reading, expected, JSON.stringify(keys));
    await fake.hangUp();
  }
});
