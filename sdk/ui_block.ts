import type { JsonValue } from "./json.ts";

/** Aligned columns. */
export interface TableBlock {
  /** Which block this is. */
  readonly kind: "table";
  /** Headings. */
  readonly columns: readonly string[];
  /** One list of cells for each row. */
  readonly rows: readonly (readonly JsonValue[])[];
  /** A line below the block. */
  readonly caption?: string;
}

/** Two columns of names and values. */
export interface KeyValueBlock {
  /** Which block this is. */
  readonly kind: "key-value";
  /** Names and their values, in order. */
  readonly entries: readonly { readonly key: string; readonly value: JsonValue }[];
  /** A line below the block. */
  readonly caption?: string;
}

/** A node of a {@linkcode TreeBlock}. */
export interface TreeNode {
  /** Name of the node. */
  readonly label: string;
  /** Nodes below it. */
  readonly children?: readonly TreeNode[];
  /** A short note beside the label. */
  readonly meta?: string;
}

/** Nested labels. */
export interface TreeBlock {
  /** Which block this is. */
  readonly kind: "tree";
  /** Nodes of the first level. */
  readonly nodes: readonly TreeNode[];
}

/** Source code. */
export interface CodeBlock {
  /** Which block this is. */
  readonly kind: "code";
  /** The source. */
  readonly code: string;
  /** Name of the language, for example `ts`. */
  readonly lang?: string;
  /** A line below the block. */
  readonly caption?: string;
}

/** Markdown text. */
export interface MarkdownBlock {
  /** Which block this is. */
  readonly kind: "markdown";
  /** The source. */
  readonly text: string;
}

/** A change to a file: a unified patch, or the text before and after. At most about 200 KB. */
export interface DiffBlock {
  /** Which block this is. */
  readonly kind: "diff";
  /** A unified patch. */
  readonly patch?: string;
  /** The text before the change. */
  readonly before?: string;
  /** The text after the change. */
  readonly after?: string;
  /** The file that changed. */
  readonly path?: string;
  /** The file's extension without the dot. */
  readonly lang?: string;
  /** A line below the block. */
  readonly caption?: string;
}

/** What a program printed. At most 256 KB of output. */
export interface TerminalBlock {
  /** Which block this is. */
  readonly kind: "terminal";
  /** What it printed, the streams in order of arrival. */
  readonly output: string;
  /** What was run. */
  readonly command?: string;
  /** Where it was run. */
  readonly cwd?: string;
  /** Its exit status, if it ended by itself. */
  readonly exitCode?: number;
  /** How long it ran. */
  readonly durationMs?: number;
  /** Whether a part of the output is missing. */
  readonly truncated?: boolean;
}

/** A Mermaid diagram. */
export interface MermaidBlock {
  /** Which block this is. */
  readonly kind: "mermaid";
  /** The source of the diagram. */
  readonly source: string;
  /** A heading. */
  readonly title?: string;
}

/** A formula. */
export interface MathBlock {
  /** Which block this is. */
  readonly kind: "math";
  /** The source, without delimiters. */
  readonly latex: string;
  /** Whether it stands on a line of its own. */
  readonly display?: boolean;
}

/** A JSON value, at most 256 KB serialised. */
export interface JsonBlock {
  /** Which block this is. */
  readonly kind: "json";
  /** The value. */
  readonly value: JsonValue;
  /** Levels that are open at first. */
  readonly collapsedDepth?: number;
  /** A line below the block. */
  readonly caption?: string;
}

/** One case of a {@linkcode TestResultsBlock}. */
export interface TestCaseResult {
  /** Name of the test. */
  readonly name: string;
  /** How it ended. */
  readonly status: "passed" | "failed" | "skipped";
  /** How long it ran. */
  readonly durationMs?: number;
  /** Why it failed or was skipped. */
  readonly message?: string;
}

/** Results of a test run. */
export interface TestResultsBlock {
  /** Which block this is. */
  readonly kind: "test-results";
  /** Groups of tests. */
  readonly suites: readonly {
    readonly name: string;
    readonly file?: string;
    readonly cases: readonly TestCaseResult[];
  }[];
  /** What ran them, for example `deno test`. */
  readonly framework?: string;
  /** How long all of them ran. */
  readonly durationMs?: number;
}

/** Steps and how far they are. */
export interface ProgressBlock {
  /** Which block this is. */
  readonly kind: "progress";
  /** Steps, in order. */
  readonly steps: readonly {
    readonly label: string;
    readonly status: "pending" | "running" | "done" | "failed" | "skipped";
    readonly detail?: string;
  }[];
  /** A heading. */
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
