import assert from "node:assert/strict";
import { TerminalInput } from "../../tui/first/terminal_input.ts";
import { typedText } from "../../tui/first/typed_text.ts";

const ROWS: readonly (readonly [typed: string, shown: string])[] = [
  ["hello", "hello"],
  ["hellp\x7fo 👍\x7fx", "hello x"],
  ["first\rsecond", "second"],
  ["gone\x15kept", "kept"],
  ["a\x1b[Db\x1bOCc\x1b[1;5Dd", "abcd"],
  ["\x1b[200~pasted\ntext\x1b[201~", "text"],
  ["\x1b[?62;c\x1b[?1ureply", "reply"],
  ["\x1b]11;rgb:00/00/00\x07colour", "colour"],
];

for (const [typed, shown] of ROWS) {
  Deno.test(`typedText() shows ${JSON.stringify(shown)} for ${JSON.stringify(typed)}`, () => {
    assert.equal(typedText(typed), shown);
  });
}

Deno.test("TerminalInput keeps what was typed for whoever listens first, in order", async () => {
  const pieces = ["one", "two", "three"].map((text) => new TextEncoder().encode(text));
  const waiting = Promise.withResolvers<void>();
  const input = new TerminalInput();
  let seen = 0;
  input.watchEarly(() => {
    if (++seen === 2) waiting.resolve();
  });
  const more = Promise.withResolvers<void>();
  let reads = 0;
  input.start(async (into) => {
    if (reads === 2) await more.promise;
    const piece = pieces[reads++];
    if (piece === undefined) return null;
    into.set(piece);
    return piece.length;
  });
  await waiting.promise;
  const got: string[] = [];
  const ended = Promise.withResolvers<void>();
  input.listen({
    onBytes: (bytes) => void got.push(new TextDecoder().decode(bytes)),
    onEnd: () => ended.resolve(),
  });
  assert.deepEqual(got, ["one", "two"]);
  more.resolve();
  await ended.promise;
  assert.deepEqual(got, ["one", "two", "three"]);
});
