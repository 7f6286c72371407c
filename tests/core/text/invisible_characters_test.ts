import assert from "node:assert/strict";
import { escapeCharacter, replaceInvisible } from "../../../core/text/invisible_characters.ts";

const show = (text: string) => replaceInvisible(text, escapeCharacter);

/** Texts that stay as they are, each beside one that looks the same and does not. */
const ROWS: readonly (readonly [string, string, string, string])[] = [
  ["letters that run right to left", "שלום مرحبا", "\u202eשלום\u202c", "\\u202eשלום\\u202c"],
  ["a woman at a computer", "👩\u200d💻", "w\u200dc", "w\\u200dc"],
  ["a skin tone", "👩🏽\u200d🚀", "🏽\u200dx", "🏽\\u200dx"],
  ["a flag of two signs", "🏳\ufe0f\u200d🌈", "🏳\ufe0f\u200d", "🏳\ufe0f\\u200d"],
  ["a keycap", "1\ufe0f\u20e3", "a\ufe0f\u20e3", "a\\ufe0f\u20e3"],
  ["one selector", "❤\ufe0f", "❤\ufe0f\ufe0f", "❤\ufe0f\\ufe0f"],
  ["a Persian word", "می\u200cخواهم", "me\u200cme", "me\\u200cme"],
  ["a Sinhala word", "ශ්\u200dරී", "x\u200dරී", "x\\u200dරී"],
  ["a form of an ideograph", "葛\u{e0100}", "x\u{e0100}", "x\\u{e0100}"],
  ["a form of a sign", "∩\ufe00", "n\ufe00", "n\\ufe00"],
  ["a Mongolian form", "ᠠ\u180b", "a\u180b", "a\\u180b"],
  ["a black flag", "🏴", "🏴\u{e0067}\u{e007f}", "🏴\\u{e0067}\\u{e007f}"],
  ["a pair of surrogates", "😀", "\ud83d!\ude00", "\\ud83d!\\ude00"],
  ["spaces and controls", " \t\r\n\x1b\u00a0", "a\u200bb", "a\\u200bb"],
];

for (const [name, kept, changed, expected] of ROWS) {
  Deno.test(`replaceInvisible() keeps ${name} and shows what hides (field case 155)`, () => {
    assert.equal(show(kept), kept);
    assert.equal(show(changed), expected);
  });
}

Deno.test("replaceInvisible() shows every character that is not drawn or turns the text", () => {
  const ranges = [
    [0x00ad, 0x00ad],
    [0x034f, 0x034f],
    [0x061c, 0x061c],
    [0x115f, 0x1160],
    [0x180e, 0x180e],
    [0x200b, 0x200f],
    [0x2028, 0x202e],
    [0x2060, 0x206f],
    [0x3164, 0x3164],
    [0xfe00, 0xfe0f],
    [0xfeff, 0xfeff],
    [0xfff9, 0xfffb],
    [0xe0000, 0xe007f],
    [0xe0100, 0xe01ef],
  ] as const;
  for (const [from, to] of ranges) {
    for (let code = from; code <= to; code++) {
      const escape = code > 0xffff
        ? `\\u{${code.toString(16)}}`
        : `\\u${code.toString(16).padStart(4, "0")}`;
      assert.equal(show(`a${String.fromCodePoint(code)}b`), `a${escape}b`);
    }
  }
});

Deno.test("replaceInvisible() leaves every other letter, sign and space", () => {
  const hidden = /[\p{Default_Ignorable_Code_Point}\p{C}\p{Zl}\p{Zp}]/u;
  for (let code = 0x20; code <= 0x1ffff; code++) {
    const character = String.fromCodePoint(code);
    if (!hidden.test(character)) assert.equal(show(character), character);
  }
});
