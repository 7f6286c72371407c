import { replaceInvisible } from "../core/text/invisible_characters.ts";

const CONTROL_REGEXP = /[\x7f-\x9f]/g;

/**
 * A value as one line of JSON that cannot drive a terminal or read otherwise than it says: JSON
 * escapes the control characters of ASCII, but neither the 8-bit ones, which some terminals obey,
 * nor the ones that are not drawn.
 *
 * @param value Anything that survives JSON.
 */
export function jsonLine(value: unknown): string {
  return `${escapeControls(JSON.stringify(value))}\n`;
}

/**
 * JSON text with every control character and every invisible one in it escaped. It holds the same
 * value.
 *
 * @param json JSON text on one line.
 */
export function escapeControls(json: string): string {
  return replaceInvisible(json.replace(CONTROL_REGEXP, escapeUnits), escapeUnits);
}

function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
