import type { ChildSessionSpec } from "@alisio/sdk";
import { isObject } from "../config/is_object.ts";
import { AlisioError } from "../errors.ts";

const MAX_LABEL_CHARS = 200;
const MAX_INSTRUCTION_CHARS = 100_000;
const UNSEEN_REGEXP = /[\p{C}\p{Zl}\p{Zp}]/u;
const VERDICTS: readonly unknown[] = ["allow", "ask", "deny"];

/**
 * Holds what a plugin asks for against what a child session can be.
 *
 * @param spec Whatever the plugin gave.
 * @throws {AlisioError} `usage` that names the first field that is wrong.
 */
export function checkChildSpec(spec: ChildSessionSpec): void {
  const problem = problemOf(spec);
  if (problem !== null) {
    throw new AlisioError("usage", `Cannot make a child session: ${problem}`);
  }
}

function problemOf(spec: ChildSessionSpec): string | null {
  const { title, agent, instructions, readOnly, tools, permission } = spec;
  for (const [key, value] of Object.entries({ title, agent })) {
    const isLabel = typeof value === "string" && value.trim() !== "" &&
      value.length <= MAX_LABEL_CHARS;
    if (!isLabel) return `"${key}" has to be a text of 1 to ${MAX_LABEL_CHARS} characters`;
  }
  // It stands before the question whether a call is allowed, and must not look like another one.
  if (UNSEEN_REGEXP.test(agent)) return '"agent" has to be one line of characters that can be seen';
  if (instructions !== undefined) {
    const isText = typeof instructions === "string" && instructions.length <= MAX_INSTRUCTION_CHARS;
    if (!isText) {
      return `"instructions" has to be a text of at most ${MAX_INSTRUCTION_CHARS} characters`;
    }
  }
  if (readOnly !== undefined && typeof readOnly !== "boolean") {
    return '"readOnly" has to be true or false';
  }
  return toolsProblem(tools) ?? permissionProblem(permission) ?? limitProblem(spec);
}

function toolsProblem(tools: unknown): string | null {
  if (tools === undefined) return null;
  const lists = isObject(tools) ? [tools["allow"] ?? [], tools["deny"] ?? []] : [null];
  const isFine = lists.every((list) =>
    Array.isArray(list) && list.every((name) => typeof name === "string")
  );
  return isFine ? null : '"tools" has to hold lists of names, as "allow" and "deny"';
}

function permissionProblem(permission: unknown): string | null {
  if (permission === undefined) return null;
  const isFine = isObject(permission) &&
    [permission["write"], permission["process"]].every((verdict) =>
      verdict === undefined || VERDICTS.includes(verdict)
    );
  return isFine
    ? null
    : '"permission" has to hold "allow", "ask" or "deny", as "write" and "process"';
}

function limitProblem(spec: ChildSessionSpec): string | null {
  for (const key of ["maxTurns", "timeoutMs", "maxTokens", "maxOutputTokens"] as const) {
    const value: unknown = spec[key];
    if (value === undefined) continue;
    const isCount = typeof value === "number" && Number.isSafeInteger(value) && value > 0;
    if (!isCount) return `"${key}" has to be a whole number above 0`;
  }
  return null;
}
