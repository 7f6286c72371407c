/**
 * A value as a JSON object, or `undefined` where it is none.
 *
 * @param value Parsed JSON.
 */
export function toRecord(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return value as Record<string, unknown>;
}

/**
 * A value as a list, an empty one where it is none.
 *
 * @param value Parsed JSON.
 */
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * A value as a number above zero, from a number or digits.
 *
 * @param value Parsed JSON.
 */
export function toCount(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return Number.isSafeInteger(number) && Number(number) > 0 ? Number(number) : undefined;
}
