/** Where a template comes from, the highest precedence last. */
export type PromptSource = "builtin" | "plugin" | "user" | "project";

/** An effect that a template needs before it makes sense. */
export type PromptRequirement = "write" | "process";

/** A prompt that a person sends by its name. */
export interface PromptTemplate {
  /** As it is written after the slash. */
  readonly name: string;
  /** What it does. */
  readonly description: string;
  /** What its arguments look like, such as `[focus]`. */
  readonly argumentHint?: string;
  /** What a run must be able to do. */
  readonly requires: readonly PromptRequirement[];
  /** Where it comes from. */
  readonly source: PromptSource;
  /** Id of the plugin that brings it. */
  readonly plugin?: string;
  /** Its file; absent for one that comes with Alisio. */
  readonly path?: string;
  /** The prompt, with its placeholders. */
  readonly body: string;
}

/** What is worth knowing of templates; never a reason to stop. */
export interface PromptDiagnostic {
  /**
   * - `prompt_invalid`: a file cannot be used
   * - `prompt_override`: it takes the place of one from a lower source
   * - `prompt_conflict`: several plugins bring one of that name
   * - `prompt_shadowed`: a command has its name
   */
  readonly code: "prompt_invalid" | "prompt_override" | "prompt_conflict" | "prompt_shadowed";
  /** The file or folder. */
  readonly path: string;
  /** One sentence without a final period. */
  readonly message: string;
}

/** The templates that a person can use, by name, and what is worth knowing of them. */
export interface PromptTemplateListing {
  /** Sorted by name. */
  readonly templates: readonly PromptTemplate[];
  readonly diagnostics: readonly PromptDiagnostic[];
}
