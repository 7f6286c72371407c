import assert from "node:assert/strict";
import { BUILT_IN_THEMES } from "../../../tui/theme/built_in_themes.ts";
import { type Colour, colourCode, rgbOf } from "../../../tui/theme/colour.ts";
import { createTheme, CurrentTheme } from "../../../tui/theme/create_theme.ts";
import { GLYPHS } from "../../../tui/theme/glyphs.ts";
import type { ColourDepth, Role, TerminalLook } from "../../../tui/theme/theme.ts";

const LOOK: TerminalLook = { depth: "true", unicode: true, background: "dark" };
const ROLES = Object.keys(BUILT_IN_THEMES.dark.roles) as Role[];

/** What a text on a terminal usually stands on. */
const BACKGROUNDS = { dark: "#1e1e1e", light: "#fafafa" } as const;
/** What text has to have for people who see badly. */
const ENOUGH = 4.5;

Deno.test("createTheme() paints each role at each depth as stored", () => {
  const rows: readonly (readonly [ColourDepth, "dark" | "light", Role, string])[] = [
    ["none", "dark", "error", "x"],
    ["none", "light", "selected", "x"],
    ["16", "dark", "error", "\x1b[91mx\x1b[39m"],
    ["16", "light", "error", "\x1b[31mx\x1b[39m"],
    ["16", "dark", "dim", "\x1b[2mx\x1b[22m"],
    ["16", "dark", "heading", "\x1b[96;1mx\x1b[39;22m"],
    ["16", "light", "link", "\x1b[34;4mx\x1b[39;24m"],
    ["16", "dark", "selected", "\x1b[30;46;1mx\x1b[39;49;22m"],
    ["256", "dark", "error", "\x1b[38;5;210mx\x1b[39m"],
    ["true", "dark", "error", "\x1b[38;2;255;123;118mx\x1b[39m"],
    ["true", "light", "error", "\x1b[38;2;179;32;28mx\x1b[39m"],
    ["true", "dark", "text", "x"],
  ];
  for (const [depth, background, role, painted] of rows) {
    const theme = createTheme({ ...LOOK, depth, background });
    assert.equal(theme.paint(role, "x"), painted, `${depth} ${background} ${role}`);
  }
});

Deno.test("createTheme() gives no role a colour that cannot be read on its background", () => {
  for (const name of ["dark", "light"] as const) {
    for (const depth of ["true", "256"] as const) {
      for (const role of ROLES) {
        const { color, background } = BUILT_IN_THEMES[name].roles[role];
        if (color === undefined) continue;
        const ratio = contrast(
          shownColour(color, depth),
          shownColour(background ?? BACKGROUNDS[name], depth),
        );
        assert.ok(ratio >= ENOUGH, `${name} ${depth} ${role}: ${ratio.toFixed(2)}`);
      }
    }
  }
});

Deno.test("createTheme() uses colours that sixteen can be told apart by", () => {
  // Nobody can read these on a background of the kind, whatever the palette.
  const bad = { dark: [0, 1, 4, 8], light: [3, 6, 7, 10, 11, 14, 15] } as const;
  for (const name of ["dark", "light"] as const) {
    for (const role of ROLES) {
      const { color, basic } = BUILT_IN_THEMES[name].roles[role];
      assert.ok(color === undefined || basic !== undefined, `${name} ${role} has no basic colour`);
      if (basic?.color === undefined || basic.background !== undefined) continue;
      assert.ok(!(bad[name] as readonly number[]).includes(basic.color), `${name} ${role}`);
    }
  }
});

Deno.test("createTheme() writes no sequence without colours", () => {
  const theme = createTheme({ ...LOOK, depth: "none" });
  const all = ROLES.map((role) => theme.paint(role, "x")).join("") + theme.bold("y") +
    theme.italic("z");
  assert.equal(all, `${"x".repeat(ROLES.length)}yz`);
});

Deno.test("createTheme() keeps bold text bold behind a role that ends it", () => {
  const theme = createTheme(LOOK);
  const heading = theme.paint("heading", "a");
  assert.equal(
    theme.bold(`${heading}b`),
    "\x1b[1m\x1b[38;2;95;224;240;1ma\x1b[39;22m\x1b[1mb\x1b[22m",
  );
});

Deno.test("createTheme() takes the theme that fits the background, unless one is named", () => {
  const light = createTheme({ ...LOOK, background: "light" });
  assert.equal(light.paint("error", "x"), createTheme(LOOK, "light").paint("error", "x"));
  assert.notEqual(light.paint("error", "x"), createTheme(LOOK, "dark").paint("error", "x"));
});

Deno.test("createTheme() shows each sign in ASCII where there is nothing else", () => {
  const theme = createTheme({ ...LOOK, unicode: false });
  for (const name of Object.keys(GLYPHS) as (keyof typeof GLYPHS)[]) {
    assert.match(theme.glyph(name), /^[\x21-\x7e]$/, name);
  }
  assert.equal(createTheme(LOOK).glyph("ok"), "✓");
});

Deno.test("CurrentTheme exchanges its colours", () => {
  const current = new CurrentTheme(createTheme(LOOK));
  const other = createTheme({ ...LOOK, background: "light", unicode: false }, "light");
  current.use(other);
  assert.deepEqual(
    [
      current.name,
      current.look,
      current.paint("error", "x"),
      current.bold("x"),
      current.italic("x"),
      current.glyph("ok"),
    ],
    ["light", other.look, other.paint("error", "x"), other.bold("x"), "\x1b[3mx\x1b[23m", "v"],
  );
});

/** What a terminal of that many colours makes of a colour. */
function shownColour(colour: Colour, depth: ColourDepth): readonly number[] {
  const [, palette] = /^38;5;(\d+)$/.exec(colourCode(colour, "text", depth)) ?? [];
  const rgb = rgbOf(palette === undefined ? colour : Number(palette));
  assert.ok(rgb !== undefined);
  return rgb;
}

function contrast(one: readonly number[], other: readonly number[]): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminance(rgb: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
