import type { ColourDepth } from "./theme.ts";

/**
 * A colour: `#rrggbb`, a number of the terminal's palette from 0 to 255, or `default`, which is the
 * terminal's own colour for text.
 */
export type Colour = string | number;

type Rgb = readonly [red: number, green: number, blue: number];

const HEX_REGEXP = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i;

/** The first sixteen colours as xterm has them; others differ, but not in what is what. */
const BASE_COLOURS: readonly Rgb[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
];

const CUBE_START = 16;
const GREY_START = 232;
const CUBE_STEPS = [0, 95, 135, 175, 215, 255] as const;

/**
 * Whether a value is a colour.
 *
 * @param value Anything.
 */
export function isColour(value: unknown): value is Colour {
  return typeof value === "string"
    ? value === "default" || HEX_REGEXP.test(value)
    : Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
}

/**
 * What a colour is made of, as far as that is known: the first sixteen belong to the terminal.
 *
 * @param colour The colour; `default` has none.
 */
export function rgbOf(colour: Colour): Rgb | undefined {
  if (typeof colour === "string") {
    const [, red, green, blue] = HEX_REGEXP.exec(colour) ?? [];
    return red === undefined || green === undefined || blue === undefined
      ? undefined
      : [parseInt(red, 16), parseInt(green, 16), parseInt(blue, 16)];
  }
  if (colour < CUBE_START) return BASE_COLOURS[colour];
  if (colour >= GREY_START) {
    const grey = 8 + 10 * (colour - GREY_START);
    return [grey, grey, grey];
  }
  const at = colour - CUBE_START;
  const step = (index: number): number => CUBE_STEPS[index % 6] ?? 0;
  return [step(Math.floor(at / 36)), step(Math.floor(at / 6)), step(at)];
}

/**
 * The numbers of a colour sequence that a terminal understands.
 *
 * @param colour The colour.
 * @param place What is coloured.
 * @param depth How many colours the terminal has.
 * @returns Such as `38;5;12`; empty where it has no colours.
 */
export function colourCode(
  colour: Colour,
  place: "text" | "background",
  depth: ColourDepth,
): string {
  if (depth === "none") return "";
  const base = place === "text" ? 30 : 40;
  if (colour === "default") return String(base + 9);
  if (typeof colour === "number" && colour < CUBE_START) return baseCode(colour, base);
  const rgb = rgbOf(colour) ?? [0, 0, 0];
  if (depth === "16") return baseCode(nearestOf(rgb, BASE_COLOURS), base);
  if (depth === "true" && typeof colour === "string") return `${base + 8};2;${rgb.join(";")}`;
  return `${base + 8};5;${typeof colour === "number" ? colour : nearestIndexed(rgb)}`;
}

function baseCode(index: number, base: number): string {
  return String(index < 8 ? base + index : base + 60 + index - 8);
}

/** Of the 240 colours that look the same on every terminal. */
function nearestIndexed(rgb: Rgb): number {
  const candidates = Array.from(
    { length: 256 - CUBE_START },
    (_, index) => rgbOf(index + CUBE_START) ?? rgb,
  );
  return CUBE_START + nearestOf(rgb, candidates);
}

function nearestOf(rgb: Rgb, candidates: readonly Rgb[]): number {
  const distances = candidates.map((candidate) => distanceOf(rgb, candidate));
  return distances.indexOf(Math.min(...distances));
}

/** Weighted by how well eyes tell the three apart. */
function distanceOf([red, green, blue]: Rgb, [otherRed, otherGreen, otherBlue]: Rgb): number {
  return 0.3 * (red - otherRed) ** 2 + 0.59 * (green - otherGreen) ** 2 +
    0.11 * (blue - otherBlue) ** 2;
}
