import { textResult, type ToolResult } from "@alisio/sdk";
import { FileError } from "../core/files/file_error.ts";
import { isInside } from "../core/paths/is_inside.ts";
import { relative } from "../core/paths/path.ts";

/**
 * A path as results show it: relative to the workspace where it lies inside, with `/` between
 * folders.
 *
 * @param real Real path.
 * @param workspace Real path of the workspace.
 */
export function displayPath(real: string, workspace: string): string {
  if (!isInside(real, workspace) || real === workspace) return real;
  const path = relative(workspace, real);
  return Deno.build.os === "windows" ? path.replaceAll("\\", "/") : path;
}

/**
 * Reads a text field of a validated input.
 *
 * @param input The input of the call.
 * @param name The field.
 * @throws {TypeError} If it is not text: the input was not validated.
 */
export function readText(input: Record<string, unknown>, name: string): string {
  const value = input[name];
  if (typeof value === "string") return value;
  throw new TypeError(`Input field "${name}" must be a string`);
}

/** A failure that the model can act on. */
export class ToolFailure extends Error {
  /** The name of the class. */
  override readonly name = "ToolFailure";
}

/**
 * Reads the hash that a change must be based on.
 *
 * @param input The input of the call.
 * @throws {ToolFailure} If it is neither null nor a hash.
 */
export function readExpectedHash(input: Record<string, unknown>): string | null {
  const value = input.expectedHash;
  if (value === null) return null;
  if (typeof value === "string" && /^[0-9a-f]{64}$/i.test(value)) return value.toLowerCase();
  throw new ToolFailure(
    'Input field "expectedHash" must be the sha256 that read_file returned, 64 hexadecimal ' +
      "digits, or null (without quotes) for a file that does not exist",
  );
}

/**
 * Reads text that will be stored in a file.
 *
 * @param input The input of the call.
 * @param name The field.
 * @throws {ToolFailure} If it holds half of a surrogate pair, which no file can hold.
 */
export function readStorableText(input: Record<string, unknown>, name: string): string {
  const text = readText(input, name);
  if (text.isWellFormed()) return text;
  throw new ToolFailure(
    `Input field "${name}" holds half of a surrogate pair (such as "\\ud83d" alone): ` +
      "send the whole character",
  );
}

/**
 * Runs the body of a tool, and answers what the model can act on as an error result.
 *
 * @param body The body.
 */
export async function answerFailures(body: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await body();
  } catch (error) {
    if (error instanceof ToolFailure || error instanceof FileError) {
      return textResult(error.message, true);
    }
    throw error;
  }
}
