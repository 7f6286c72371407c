import assert from "node:assert/strict";
import type { LineAnswer } from "../../../cli/talk/read_line.ts";
import { readSecret } from "../../../cli/talk/read_secret.ts";
import { openFakeTerminal } from "./_fake_terminal.ts";

/** Types a secret, piece by piece, and answers what came of it and what was shown. */
async function secretOf(
  pieces: readonly string[],
): Promise<{ readonly answer: LineAnswer; readonly shown: string }> {
  const fake = openFakeTerminal();
  const reading = readSecret(fake.ports, {
    prompt: "> ",
    signal: new AbortController().signal,
  });
  await fake.until(/> /);
  for (const piece of pieces) await fake.type(piece);
  const answer = await reading;
  await fake.ports.screen.flush();
  await fake.hangUp();
  return { answer, shown: fake.shown() };
}

const line = (text: string): LineAnswer => ({ kind: "line", text, typed: text });

Deno.test("readSecret() knows the keys that end and delete, and no others", async () => {
  const rows: readonly (readonly [pieces: readonly string[], expected: LineAnswer])[] = [
    [["abc\r"], line("abc")],
    [["abc\n"], line("abc")],
    [["\r"], line("")],
    [["abc\x7f\x7fX\r"], line("aX")],
    [["\x7f\b\r"], line("")],
    [["漢字\x7f\r"], line("漢")],
    [["gone\x15kept\r"], line("kept")],
    [["one two\x17three\r"], line("one three")],
    [["a\x1b[Db\x1b[A\x1bOPc\td\r"], line("abcd")],
    [["\x1b[200~pas", "ted\n\x1b[201~\r"], line("pasted ")],
    [["\x03"], { kind: "interrupt", typed: "" }],
    [["half\x03"], { kind: "interrupt", typed: "" }],
    [["\x04"], { kind: "end" }],
    [["half\x04\r"], line("half")],
  ];
  for (const [pieces, expected] of rows) {
    assert.deepEqual((await secretOf(pieces)).answer, expected, JSON.stringify(pieces));
  }
});

Deno.test("readSecret() shows signs, and neither the secret nor its length", async () => {
  const short = await secretOf(["sk-1234\x7f\r"]);
  assert.match(short.shown, /^> \*{7}[\b ]+\n$/);
  const long = await secretOf([`${"s".repeat(500)}\r`]);
  assert.equal(long.shown, `> ${"*".repeat(24)}\n`);
});

Deno.test("readSecret() holds no more than a key could have", async () => {
  const { answer } = await secretOf([`\x1b[200~${"s".repeat(100_000)}\x1b[201~`, "\r"]);
  assert.equal(answer.kind === "line" ? answer.text.length : 0, 16_384);
});

Deno.test("readSecret() ends with its signal and with the terminal", async () => {
  const fake = openFakeTerminal();
  const stop = new AbortController();
  const reading = readSecret(fake.ports, { prompt: "> ", signal: stop.signal });
  await fake.until(/> /);
  stop.abort();
  assert.deepEqual(await reading, { kind: "end" });
  const again = readSecret(fake.ports, { prompt: "> ", signal: new AbortController().signal });
  await fake.until(/> [^]*> /);
  await fake.hangUp();
  assert.deepEqual(await again, { kind: "end" });
});
