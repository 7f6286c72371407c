import assert from "node:assert/strict";
import { type Colour, colourCode, isColour, rgbOf } from "../../../tui/theme/colour.ts";
import type { ColourDepth } from "../../../tui/theme/theme.ts";

Deno.test("isColour() accepts what a terminal can show", () => {
  const good: readonly unknown[] = ["#00ff7F", "default", 0, 255];
  const bad: readonly unknown[] = ["#fff", "red", "", "#00ff7f;1", -1, 256, 1.5, null, {}, "12"];
  assert.deepEqual(good.map(isColour), good.map(() => true));
  assert.deepEqual(bad.map(isColour), bad.map(() => false));
});

Deno.test("colourCode() gives the nearest colour that a terminal has", () => {
  const rows: readonly (readonly [Colour, "text" | "background", ColourDepth, string])[] = [
    ["#ff8700", "text", "true", "38;2;255;135;0"],
    ["#ff8700", "background", "true", "48;2;255;135;0"],
    ["#ff8700", "text", "256", "38;5;208"],
    ["#808080", "text", "256", "38;5;244"],
    ["#ff0000", "text", "16", "91"],
    ["#ff0000", "background", "16", "101"],
    ["#ff0000", "text", "none", ""],
    [208, "text", "true", "38;5;208"],
    [208, "text", "256", "38;5;208"],
    [1, "text", "true", "31"],
    [9, "background", "256", "101"],
    ["default", "text", "16", "39"],
    ["default", "background", "true", "49"],
  ];
  for (const [colour, place, depth, code] of rows) {
    assert.equal(colourCode(colour, place, depth), code, `${colour} ${place} ${depth}`);
  }
});

Deno.test("rgbOf() knows the palette", () => {
  assert.deepEqual(
    ["#0a141e", 16, 21, 196, 231, 232, 255, "default"].map(rgbOf),
    [
      [10, 20, 30],
      [0, 0, 0],
      [0, 0, 255],
      [255, 0, 0],
      [255, 255, 255],
      [8, 8, 8],
      [238, 238, 238],
      undefined,
    ],
  );
});
