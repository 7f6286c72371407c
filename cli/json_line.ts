const CONTROL_REGEXP = /[\x7f-\x9f]/g;

/**
 * A value as one line of JSON that cannot drive a terminal: JSON escapes the control characters of
 * ASCII but not the 8-bit ones, which some terminals obey.
 *
 * @param value Anything that survives JSON.
 */
export function jsonLine(value: unknown): string {
  return `${escapeControls(JSON.stringify(value))}\n`;
}

/**
 * JSON text with every control character in it escaped. It holds the same value.
 *
 * @param json JSON text on one line.
 */
export function escapeControls(json: string): string {
  return json.replace(
    CONTROL_REGEXP,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
