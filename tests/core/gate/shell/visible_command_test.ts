import assert from "node:assert/strict";
import {
  type HiddenCharacter,
  visibleCommand,
} from "../../../../core/gate/shell/visible_command.ts";

const ROWS: readonly (readonly [string, string, readonly HiddenCharacter["kind"][]])[] = [
  ["ls -la\n\tpwd", "ls -la\n\tpwd", []],
  ["a\u202eb", "a\\u{202E}b", ["direction"]],
  ["a\u2066b\u2069", "a\\u{2066}b\\u{2069}", ["direction", "direction"]],
  ["r\u200bm", "r\\u{200B}m", ["invisible"]],
  ["\ufeffls", "\\u{FEFF}ls", ["invisible"]],
  ["ls\u{e0072}\u{e006d}", "ls\\u{E0072}\\u{E006D}", ["tag", "tag"]],
  ["ls\x1b[2K\rrm", "ls\\x1b[2K\\x0drm", ["control", "control"]],
  ["ls\x9b1m", "ls\\x9b1m", ["control"]],
  ["a\u00a0b\u3000c", "a\\xa0b\\u{3000}c", ["blank", "blank"]],
  [`ls${" ".repeat(500)}rm`, "ls⟨500 blanks⟩rm", ["padding"]],
  [`ls${"\n".repeat(80)}rm`, "ls⟨80 line ends⟩rm", ["padding"]],
  [`ls\n${" ".repeat(40)}rm`, `ls\n${" ".repeat(40)}rm`, []],
  [`ls${" ".repeat(12)}rm`, `ls${" ".repeat(12)}rm`, []],
  ["\u0441url x", "с⟨\\u{441}⟩url x", ["look-alike"]],
  ["https://ex\u0430mple.org", "https://exа⟨\\u{430}⟩mple.org", ["look-alike"]],
  ["\uff52\uff4d x", "ｒ⟨\\u{FF52}⟩ｍ⟨\\u{FF4D}⟩ x", ["look-alike"]],
  ["echo привет שלום γεια", "echo привет שלום γεια", []],
  ["echo café naïve 日本語", "echo café naïve 日本語", []],
  ["git commit -m '👩‍💻 ❤️ done'", "git commit -m '👩‍💻 ❤️ done'", []],
  ["a\u200db", "a\\u{200D}b", ["invisible"]],
  ["echo \\u{202E} ⟨500 blanks⟩", "echo \\u{202E} ⟨500 blanks⟩", []],
];

Deno.test("visibleCommand() shows what a screen would hide, and says so (field case 105)", () => {
  for (const [command, text, kinds] of ROWS) {
    const visible = visibleCommand(command);
    assert.equal(visible.text, text, JSON.stringify(command));
    assert.deepEqual(visible.hidden.map(({ kind }) => kind), kinds, JSON.stringify(command));
    assert.equal(visible.parts.some(({ isMark }) => isMark), kinds.length > 0);
  }
});

Deno.test("visibleCommand() tells where each hidden character stands", () => {
  const command = `a\u202e${" ".repeat(20)}\u{e0041}z`;
  assert.deepEqual(visibleCommand(command).hidden, [
    { index: 1, length: 1, kind: "direction" },
    { index: 2, length: 20, kind: "padding" },
    { index: 22, length: 2, kind: "tag" },
  ]);
});

Deno.test("visibleCommand() marks pieces, so that text cannot pose as a mark", () => {
  assert.deepEqual(visibleCommand("\\u{202E}\u202e").parts, [
    { text: "\\u{202E}", isMark: false },
    { text: "\\u{202E}", isMark: true },
  ]);
});

Deno.test("visibleCommand() never cuts a long command (field case 106)", () => {
  const oneLine = `echo ${"a ".repeat(1_500)}; rm -rf x`;
  const script = Array.from({ length: 60 }, (_, line) => line < 59 ? "ls" : "rm -rf x").join("\n");
  for (const command of [oneLine, script]) {
    assert.deepEqual(visibleCommand(command), {
      text: command,
      parts: [{ text: command, isMark: false }],
      hidden: [],
    });
  }
});
