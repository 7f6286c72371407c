import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  characterLength,
  skipCharacters,
  takeCharacters,
} from "../../../core/files/utf8_characters.ts";

const LENGTHS: readonly (readonly [readonly number[], number])[] = [
  [[], 0],
  [[0x61], 1],
  [[0x80], -1],
  [[0xc0, 0x80], -1],
  [[0xc3, 0xa9], 2],
  [[0xc3], 0],
  [[0xc3, 0x41], -1],
  [[0xe0, 0x80, 0x80], -1],
  [[0xe6, 0xbc, 0xa2], 3],
  [[0xe6, 0xbc], 0],
  [[0xe6, 0x41], -1],
  [[0xed, 0xa0, 0x80], -1],
  [[0xf0, 0x9f, 0x98, 0x80], 4],
  [[0xf0, 0x8f, 0x98, 0x80], -1],
  [[0xf4, 0x90, 0x80, 0x80], -1],
  [[0xf5, 0x80, 0x80, 0x80], -1],
];

for (const [bytes, length] of LENGTHS) {
  Deno.test(`characterLength() is ${length} for [${bytes.join(", ")}]`, () => {
    strictEqual(characterLength(Uint8Array.from(bytes), 0), length);
  });
}

Deno.test("takeCharacters() never splits a character, at any budget (field case 92)", () => {
  const text = 'aé漢😀"\\\n\u0000\u0001z';
  const bytes = new TextEncoder().encode(text);
  for (let budget = 0; budget <= 60; budget++) {
    const taken = takeCharacters(bytes, budget, true);
    strictEqual(text.startsWith(taken.text), true);
    strictEqual(taken.characters, [...taken.text].length);
    const json = new TextEncoder().encode(JSON.stringify(taken.text)).length - 2;
    strictEqual(taken.jsonBytes, json);
    strictEqual(json <= budget, true);
    const next = [...text][taken.characters];
    const more = next === undefined ? "" : JSON.stringify(next).slice(1, -1);
    const isFull = next === undefined || json + new TextEncoder().encode(more).length > budget;
    strictEqual(isFull, true);
  }
});

Deno.test("takeCharacters() leaves a character that is not complete yet", () => {
  const bytes = Uint8Array.from([0x61, 0xe6, 0xbc]);
  deepStrictEqual(takeCharacters(bytes, 100, false), {
    text: "a",
    byteLength: 1,
    characters: 1,
    jsonBytes: 1,
  });
  deepStrictEqual(takeCharacters(bytes, 100, true), {
    text: "a\\xe6\\xbc",
    byteLength: 3,
    characters: 3,
    jsonBytes: 11,
  });
});

Deno.test("skipCharacters() counts what takeCharacters() counts", () => {
  const bytes = Uint8Array.from([0x61, 0xc3, 0xa9, 0x80, 0xff, 0xe6, 0xbc, 0xa2, 0x0a, 0x62]);
  for (let count = 0; count <= 5; count++) {
    const { index, characters } = skipCharacters(bytes, 0, count);
    strictEqual(characters, count);
    strictEqual(takeCharacters(bytes.subarray(0, index), 1000, true).characters, count);
  }
  deepStrictEqual(skipCharacters(bytes, 0, 100), { index: 8, characters: 5 });
});
