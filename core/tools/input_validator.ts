import type { JsonSchema } from "@alisio/sdk";

/** One thing that is wrong with an input. */
export interface InputProblem {
  /** Name of the field, dotted for nested ones, empty for the whole input. */
  readonly field: string;
  /** What is wrong, as the end of a sentence that starts with the field. */
  readonly problem: string;
}

/**
 * Checks an input against a schema.
 *
 * Contract: pure; answers every problem it finds, none when the input is valid; never throws for
 * an input, however odd.
 */
export type InputValidator = (schema: JsonSchema, input: unknown) => readonly InputProblem[];
