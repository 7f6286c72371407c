import type { JsonValue } from "./json.ts";

/** Aligned columns. */
export interface TableBlock {
  readonly kind: "table";
  readonly columns: readonly string[];
  readonly rows: readonly (readonly JsonValue[])[];
  readonly caption?: string;
}

/** Two columns of names and values. */
export interface KeyValueBlock {
  readonly kind: "key-value";
  readonly entries: readonly { readonly key: string; readonly value: JsonValue }[];
  readonly caption?: string;
}

/** A node of a {@linkcode TreeBlock}. */
export interface TreeNode {
  readonly label: string;
  readonly children?: readonly TreeNode[];
  readonly meta?: string;
}

/** Nested labels. */
export interface TreeBlock {
  readonly kind: "tree";
  readonly nodes: readonly TreeNode[];
}

/** Source code. */
export interface CodeBlock {
  readonly kind: "code";
  readonly code: string;
  readonly lang?: string;
  readonly caption?: string;
}

/** Markdown text. */
export interface MarkdownBlock {
  readonly kind: "markdown";
  readonly text: string;
}

/** A change to a file: a unified patch, or the text before and after. At most about 200 KB. */
export interface DiffBlock {
  readonly kind: "diff";
  readonly patch?: string;
  readonly before?: string;
  readonly after?: string;
  readonly path?: string;
  /** The file's extension without the dot. */
  readonly lang?: string;
  readonly caption?: string;
}

/** What a program printed. At most 256 KB of output. */
export interface TerminalBlock {
  readonly kind: "terminal";
  readonly output: string;
  readonly command?: string;
  readonly cwd?: string;
  readonly exitCode?: number;
  readonly durationMs?: number;
  readonly truncated?: boolean;
}

/** A Mermaid diagram. */
export interface MermaidBlock {
  readonly kind: "mermaid";
  readonly source: string;
  readonly title?: string;
}

/** A formula. */
export interface MathBlock {
  readonly kind: "math";
  readonly latex: string;
  readonly display?: boolean;
}

/** A JSON value, at most 256 KB serialised. */
export interface JsonBlock {
  readonly kind: "json";
  readonly value: JsonValue;
  readonly collapsedDepth?: number;
  readonly caption?: string;
}

/** One case of a {@linkcode TestResultsBlock}. */
export interface TestCaseResult {
  readonly name: string;
  readonly status: "passed" | "failed" | "skipped";
  readonly durationMs?: number;
  readonly message?: string;
}

/** Results of a test run. */
export interface TestResultsBlock {
  readonly kind: "test-results";
  readonly suites: readonly {
    readonly name: string;
    readonly file?: string;
    readonly cases: readonly TestCaseResult[];
  }[];
  readonly framework?: string;
  readonly durationMs?: number;
}

/** Steps and how far they are. */
export interface ProgressBlock {
  readonly kind: "progress";
  readonly steps: readonly {
    readonly label: string;
    readonly status: "pending" | "running" | "done" | "failed" | "skipped";
    readonly detail?: string;
  }[];
  readonly title?: string;
}

/** Data that a front end may render richly; never code. */
export type UiBlock =
  | TableBlock
  | KeyValueBlock
  | TreeBlock
  | CodeBlock
  | MarkdownBlock
  | DiffBlock
  | TerminalBlock
  | MermaidBlock
  | MathBlock
  | JsonBlock
  | TestResultsBlock
  | ProgressBlock;

/** Every kind of {@linkcode UiBlock}. A front end shows a kind that it does not know as JSON. */
export const UI_BLOCK_KINDS: readonly UiBlock["kind"][] = [
  "table",
  "key-value",
  "tree",
  "code",
  "markdown",
  "diff",
  "terminal",
  "mermaid",
  "math",
  "json",
  "test-results",
  "progress",
];
