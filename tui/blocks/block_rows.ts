import type { UiBlock } from "@alisio/sdk";
import { MarkdownBody } from "../markdown/markdown_body.ts";
import { renderCode } from "../markdown/render_markdown.ts";
import { type Line, lineOf } from "../text/span.ts";
import { wrapAnywhere } from "../text/wrap.ts";
import {
  type BlockLook,
  captionRows,
  type Facts,
  factsOf,
  MalformedBlockError,
  MAX_BLOCK_CHARS,
  moreRows,
  textOf,
} from "./block_facts.ts";
import { diffBlockRows } from "./diff_rows.ts";
import { jsonBlockRows, unknownBlockRows } from "./json_rows.ts";
import { progressRows, testResultRows } from "./status_rows.ts";
import { keyValueRows, tableRows } from "./tabular_rows.ts";
import { terminalRows } from "./terminal_rows.ts";
import { treeRows } from "./tree_rows.ts";

type Draw = (block: Facts, look: BlockLook) => readonly Line[];

/** Rows that a block takes at most. */
const MAX_ROWS = 600;
const MAX_DIFF_LINES = 400;

const DRAWINGS: Readonly<Record<UiBlock["kind"], Draw>> = {
  table: tableRows,
  "key-value": keyValueRows,
  tree: treeRows,
  code: (block, look) => sourceRows(block.code, languageOf(block.lang), block, look),
  markdown: markdownRows,
  diff: (block, look) => diffBlockRows(block, look, MAX_DIFF_LINES),
  terminal: terminalRows,
  mermaid: (block, look) => [
    ...captionRows(block.title, look.width),
    ...sourceRows(block.source, "", {}, look),
  ],
  math: (block, look) =>
    textOf(block.latex).split("\n").flatMap((line) =>
      wrapAnywhere(lineOf(line, "code"), look.width)
    ),
  json: jsonBlockRows,
  "test-results": testResultRows,
  progress: progressRows,
};

/**
 * Rows of a block of a tool's result. A kind that is not known, and a block that is not what its
 * kind says, are shown as JSON with a label, so that an older version shows what a newer one stored.
 *
 * @param block The block, as it was stored.
 * @param look What it is drawn with.
 * @returns Bounded, however large the block is.
 */
export function blockRows(block: unknown, look: BlockLook): readonly Line[] {
  const rows = drawn(block, look);
  const shown = rows.slice(0, MAX_ROWS);
  return [...shown, ...moreRows(rows.length - shown.length, "rows", look)];
}

function drawn(block: unknown, look: BlockLook): readonly Line[] {
  try {
    const facts = factsOf(block);
    const kind = String(facts.kind);
    if (!Object.hasOwn(DRAWINGS, kind)) return unknownBlockRows(block, look);
    return DRAWINGS[kind as UiBlock["kind"]](facts, look);
  } catch (error) {
    if (error instanceof MalformedBlockError) return unknownBlockRows(block, look);
    throw error;
  }
}

function sourceRows(
  source: unknown,
  language: string,
  block: Facts,
  look: BlockLook,
): readonly Line[] {
  const left = typeof source === "string" ? source.length - MAX_BLOCK_CHARS : 0;
  return [
    ...renderCode(textOf(source).replace(/\n$/, ""), language, look, look.width),
    ...moreRows(left, "characters", look),
    ...captionRows(block.caption, look.width),
  ];
}

function markdownRows(block: Facts, look: BlockLook): readonly Line[] {
  const body = new MarkdownBody((line) => line);
  body.update(textOf(block.text));
  body.complete();
  return body.rows(look, look.width);
}

function languageOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 40) : "";
}
