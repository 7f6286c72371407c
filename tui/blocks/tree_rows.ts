import { type Line, lineOf, type Span, span } from "../text/span.ts";
import { clipLine } from "../text/wrap.ts";
import {
  type BlockLook,
  type Facts,
  factsOf,
  labelOf,
  listOf,
  MAX_ITEMS,
  moreRows,
  optionalLabel,
} from "./block_facts.ts";

/** Levels of a tree that are shown. */
const MAX_DEPTH = 24;

/**
 * Rows of a `tree` block: one for each node.
 *
 * @param block The block.
 * @param look What it is drawn with.
 * @throws {MalformedBlockError} If it is none.
 */
export function treeRows(block: Facts, look: BlockLook): readonly Line[] {
  const rows: Line[] = [];
  let left = 0;
  const draw = (nodes: readonly unknown[], before: string, depth: number): void => {
    for (const [index, value] of nodes.entries()) {
      const node = factsOf(value);
      const children = node.children === undefined ? [] : listOf(node.children);
      if (rows.length >= MAX_ITEMS) {
        left += 1 + children.length;
        continue;
      }
      const isLast = index === nodes.length - 1;
      const branch = depth === 0 ? "" : branchSign(isLast, look);
      rows.push(clipLine(nodeLine(node, before + branch), look.width));
      if (depth >= MAX_DEPTH) left += children.length;
      else draw(children, before + continuation({ depth, isLast, look }), depth + 1);
    }
  };
  draw(listOf(block.nodes), "", 0);
  return [...rows, ...moreRows(left, "nodes", look)];
}

function nodeLine(node: Facts, branch: string): Line {
  const meta = optionalLabel(node.meta);
  const label: Span[] = [...lineOf(branch, "border"), span(labelOf(node.label))];
  return meta === undefined ? label : [...label, span(`  ${meta}`, "dim")];
}

function continuation(
  { depth, isLast, look }: {
    readonly depth: number;
    readonly isLast: boolean;
    readonly look: BlockLook;
  },
): string {
  if (depth === 0) return "";
  return isLast ? "   " : `${look.theme.glyph("treeLine")}  `;
}

function branchSign(isLast: boolean, { theme }: BlockLook): string {
  return `${theme.glyph(isLast ? "treeLast" : "treeBranch")}${theme.glyph("horizontal")} `;
}
