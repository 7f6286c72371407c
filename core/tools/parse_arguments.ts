import type { JsonObject } from "@alisio/sdk";
import { previewText } from "../text/bound_text.ts";

/** Arguments of a call, or why they are none. */
export type ParsedArguments =
  | { readonly ok: true; readonly input: Record<string, unknown>; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads the arguments that a model wrote. Nothing is guessed: no text means no arguments, an
 * object is taken as it is, everything else is a problem that the model is told about.
 *
 * @param text JSON text as the model wrote it.
 */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === "") return { ok: true, input: {}, text: "{}" };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return {
      ok: false,
      reason: "The arguments are not complete JSON, so the call was not run. They were probably " +
        `cut off by an output limit (${text.length} characters arrived). Send the call again; ` +
        "write large content in several smaller calls",
    };
  }
  if (!isObject(value)) {
    return {
      ok: false,
      reason: `The arguments must be a JSON object such as {"path": "src"}, but were ` +
        `${kindOf(value)}: ${previewText(text, 120)}`,
    };
  }
  return { ok: true, input: { ...value }, text };
}

/**
 * JSON text of an object for the replayed history: what the model wrote if that is an object, and
 * an empty object otherwise, because servers refuse a history that holds anything else.
 *
 * @param text JSON text as the model wrote it.
 */
export function replayableArguments(text: string): string {
  const parsed = parseArguments(text);
  return parsed.ok ? parsed.text : "{}";
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return `a ${typeof value}`;
}
