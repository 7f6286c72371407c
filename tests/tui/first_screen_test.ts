import assert from "node:assert/strict";
import { DENO, ROOT } from "../support/paths.ts";
import { HAS_TERMINAL } from "../support/person.ts";
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

for (
  const [signal, status] of [["SIGHUP", 129], ["SIGINT", 130], ["SIGQUIT", 131], ["SIGTERM", 143]]
) {
  Deno.test({
    name: `FirstScreen gives the terminal back at ${signal}, and is ASCII where nothing else is`,
    ignore: !HAS_TERMINAL,
    async fn() {
      const program = `
        import { FirstScreen } from "${ROOT}/tui/first/first_screen.ts";
        new FirstScreen({ LANG: "C" }).open();
        Deno.kill(Deno.pid, "${signal}");
        setTimeout(() => {}, 20_000);
      `;
      const words = [DENO, "eval", "--config", `${ROOT}/deno.json`, program];
      const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
      const { code, stdout } = await new Deno.Command("script", {
        args: ["-qec", `${quoted}; status=$?; stty -a; exit $status`, "/dev/null"],
      }).output();
      const text = new TextDecoder().decode(stdout);
      assert.equal(code, status, text);
      // deno-lint-ignore no-control-regex -- what gives the terminal back
      assert.match(text, /---\x1b[^]*\x1b\[\?2004l\x1b\[\?1049l[^]*(?<![-\w])icanon\b/);
      assert.doesNotMatch(text, /─/);
    },
  });
}
