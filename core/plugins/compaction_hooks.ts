import type {
  CompactionAddition,
  CompactionInput,
  CompactionRequest,
  CompactionResult,
} from "@alisio/sdk";
import { isObject } from "../config/is_object.ts";
import { boundText, previewText } from "../text/bound_text.ts";
import { callHook } from "./call_hook.ts";

/** What a plugin wants to be called for when a conversation is made shorter. */
export interface CompactionHook {
  readonly plugin: string;
  readonly before?: (input: CompactionInput) => unknown;
  readonly after?: (result: CompactionResult) => unknown;
}

/** How the hooks are called. */
export interface CompactionHookOptions {
  /** How long each may take. */
  readonly timeoutMs: number;
  /** Ends the wait for all of them, which is nobody's failure. */
  readonly signal: AbortSignal;
  /** Is told of a hook that fails, takes too long or answers nonsense. */
  readonly failed: (plugin: string, error: unknown) => void;
}

/** What a plugin asks of a summary. */
export interface CompactionWish {
  readonly plugin: string;
  readonly instructions: string;
  /** Name and description. */
  readonly fields: readonly (readonly [string, string])[];
}

/** What a plugin adds once a summary is there. */
export interface CompactionExtra {
  readonly plugin: string;
  /** Stands behind the summary; may be empty. */
  readonly context: string;
  /** What the person is told; may be empty. */
  readonly report: string;
}

const MAX_INSTRUCTION_CHARS = 4_000;
const MAX_FIELDS = 20;
const MAX_DESCRIPTION_CHARS = 1_000;
const MAX_CONTEXT_CHARS = 16_000;
const MAX_REPORT_CHARS = 300;
const FIELD_REGEXP = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/**
 * Asks hooks what a summary is to hold, all at once.
 *
 * @param hooks The hooks.
 * @param input What they are told.
 * @param options How they are called.
 * @returns What they want, in the order of the hooks; those that want nothing are left out.
 */
export async function askBeforeCompact(
  hooks: Iterable<CompactionHook>,
  input: Omit<CompactionInput, "signal">,
  options: CompactionHookOptions,
): Promise<readonly CompactionWish[]> {
  const wishes = await Promise.all([...hooks].map(async ({ plugin, before }) => {
    if (before === undefined) return [];
    const answer = await callHook({
      ...options,
      plugin,
      handle: (signal) => before({ ...input, signal }),
      check: assertRequest,
    });
    // It passed the check.
    const { instructions = "", outputFields = {} } = (answer ?? {}) as CompactionRequest;
    const fields = Object.entries(outputFields);
    if (instructions.trim() === "" && fields.length === 0) return [];
    const bounded = boundText(instructions.trim(), MAX_INSTRUCTION_CHARS).text;
    return [{ plugin, instructions: bounded, fields }];
  }));
  return wishes.flat();
}

/**
 * Tells hooks what became of a conversation, all at once, and takes what they add.
 *
 * @param hooks The hooks.
 * @param resultFor What a plugin is told.
 * @param options How they are called.
 * @returns What they add, in the order of the hooks; those that add nothing are left out.
 */
export async function tellAfterCompact(
  hooks: Iterable<CompactionHook>,
  resultFor: (plugin: string) => Omit<CompactionResult, "signal">,
  options: CompactionHookOptions,
): Promise<readonly CompactionExtra[]> {
  const extras = await Promise.all([...hooks].map(async ({ plugin, after }) => {
    if (after === undefined) return [];
    const answer = await callHook({
      ...options,
      plugin,
      handle: (signal) => after({ ...resultFor(plugin), signal }),
      check: assertAddition,
    });
    // It passed the check.
    const { injectContext = "", report } = (answer ?? {}) as CompactionAddition;
    const context = boundText(injectContext.trim(), MAX_CONTEXT_CHARS).text;
    const words = previewText(report?.summary ?? "", MAX_REPORT_CHARS);
    return context === "" && words === "" ? [] : [{ plugin, context, report: words }];
  }));
  return extras.flat();
}

function assertRequest(answer: unknown): void {
  if (answer === undefined || answer === null) return;
  if (!isObject(answer)) throw new TypeError("it returned no object");
  const { instructions, outputFields } = answer;
  assertText(instructions, "instructions");
  if (outputFields === undefined) return;
  if (!isObject(outputFields)) throw new TypeError("its outputFields is no object");
  const fields = Object.entries(outputFields);
  if (fields.length > MAX_FIELDS) {
    throw new TypeError(`it asks for ${fields.length} fields, the limit is ${MAX_FIELDS}`);
  }
  for (const [name, description] of fields) {
    const shown = JSON.stringify(previewText(name, 80));
    if (!FIELD_REGEXP.test(name)) {
      throw new TypeError(`its field ${shown} is no name of letters, digits and "_"`);
    }
    if (typeof description !== "string" || description.length > MAX_DESCRIPTION_CHARS) {
      throw new TypeError(
        `its field ${shown} has no description of up to ${MAX_DESCRIPTION_CHARS} characters`,
      );
    }
  }
}

function assertAddition(answer: unknown): void {
  if (answer === undefined || answer === null) return;
  if (!isObject(answer)) throw new TypeError("it returned no object");
  const { injectContext, report } = answer;
  assertText(injectContext, "injectContext");
  if (report === undefined) return;
  if (!isObject(report)) throw new TypeError("its report is no object");
  assertText(report.summary, "report.summary");
}

function assertText(value: unknown, name: string): void {
  if (value === undefined || typeof value === "string") return;
  throw new TypeError(`its ${name} is no text`);
}
