import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { TextForm } from "../../../core/files/text_encoding.ts";
import { fromTextUnits, textToUnits, toTextUnits } from "../../../core/files/text_units.ts";

const FORMS: readonly TextForm[] = [
  { kind: "text", encoding: "utf-8", bomBytes: 0 },
  { kind: "text", encoding: "unknown-8bit", bomBytes: 3 },
  { kind: "text", encoding: "utf-16le", bomBytes: 2 },
  { kind: "text", encoding: "utf-16be", bomBytes: 2 },
];

for (const form of FORMS) {
  Deno.test(`toTextUnits() loses no byte of ${form.encoding}`, () => {
    const bytes = crypto.getRandomValues(new Uint8Array(40_001));
    const units = toTextUnits(bytes, form);
    deepStrictEqual(fromTextUnits(units, form, bytes.subarray(0, form.bomBytes)), bytes);
  });
}

Deno.test("textToUnits() gives what a file in that encoding holds", () => {
  const wide: TextForm = { kind: "text", encoding: "utf-16be", bomBytes: 2 };
  strictEqual(
    toTextUnits(Uint8Array.from([0xfe, 0xff, 0, 0xe9]), wide).units,
    textToUnits("é", wide),
  );
  const narrow: TextForm = { kind: "text", encoding: "utf-8", bomBytes: 0 };
  strictEqual(textToUnits("é", narrow), "\xc3\xa9");
});
