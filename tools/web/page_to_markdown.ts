import Turndown from "turndown";
import { tidyMarkdown } from "./tidy_markdown.ts";
import {
  childrenOf,
  elementsBelow,
  isElement,
  type PageElement,
  type PageNode,
} from "./page_dom.ts";

/** What of the converter is used here; the package comes without types. */
interface Converter {
  addRule(name: string, rule: {
    readonly filter: string | readonly string[] | ((node: PageElement) => boolean);
    readonly replacement: (content: string, node: PageElement) => string;
  }): void;
  turndown(node: PageNode): string;
}

/** Cells of a table that reads as one; a larger one is still a table. */
const BLOCKS_IN_CELL: ReadonlySet<string> = new Set([
  ...["TABLE", "PRE", "UL", "OL", "DL", "BLOCKQUOTE", "H1", "H2", "H3", "H4", "H5", "H6", "HR"],
  ...["ARTICLE", "SECTION", "NAV", "FORM", "FIGURE"],
]);

/**
 * Converts a cleaned page, or a part of one, to Markdown. A table that holds data becomes one of
 * GitHub's; one that only arranges things becomes its content, in order.
 *
 * @param root What is converted; not deeper than the stack allows.
 */
export function pageToMarkdown(root: PageElement): string {
  const elements = elementsBelow(root);
  const cells = new Map<PageNode, string>();
  const dataTables = elements.filter((each) => each.nodeName === "TABLE" && isDataTable(each));
  // The converter works on a copy, in which a mark is found again.
  for (const table of dataTables) table.setAttribute("data-alisio-table", "");
  const converter = createConverter();
  addCodeRule(converter);
  converter.addRule("cells", {
    filter: ["td", "th"],
    replacement(content, node) {
      const table = tableOf(node);
      if (table === null || !table.hasAttribute("data-alisio-table")) return `\n\n${content}\n\n`;
      cells.set(node, content);
      return "";
    },
  });
  converter.addRule("tables", {
    filter: "table",
    replacement(content, node) {
      if (!node.hasAttribute("data-alisio-table")) return `\n\n${content}\n\n`;
      return `\n\n${formatTable(node, cells)}\n\n`;
    },
  });
  converter.addRule("rows", {
    filter: ["tr", "thead", "tbody", "tfoot", "colgroup", "col"],
    replacement: (content) => content,
  });
  addListRule(converter);
  return tidyMarkdown(converter.turndown(root));
}

/** Items with no more space than they need; the converter's own have three characters of it. */
function addListRule(converter: Converter): void {
  const numbers = new Map<PageNode, number>();
  converter.addRule("items", {
    filter: "li",
    replacement(content, node) {
      const list = node.parentNode;
      const isOrdered = list !== null && isElement(list) && list.nodeName === "OL";
      const number = isOrdered ? numbers.get(list) ?? startOf(list) : 0;
      if (isOrdered) numbers.set(list, number + 1);
      const mark = isOrdered ? `${number}. ` : "- ";
      const text = content.trim().replaceAll(/\n(?=[^\n])/g, `\n${" ".repeat(mark.length)}`);
      return `${mark}${text}${node.nextSibling === null ? "" : "\n"}`;
    },
  });
}

function startOf(list: PageElement): number {
  const start = Number(list.getAttribute("start") ?? 1);
  return Number.isSafeInteger(start) ? start : 1;
}

function createConverter(): Converter {
  const create = Turndown as unknown as new (options: Record<string, string>) => Converter;
  const converter = new create({
    headingStyle: "atx",
    hr: "---",
    bulletListMarker: "-",
    codeBlockStyle: "fenced",
    emDelimiter: "_",
  });
  converter.addRule("links", {
    filter: "a",
    replacement(content, node) {
      const href = node.getAttribute("href");
      const text = content.trim().replaceAll(/\s*\n+\s*/g, " ");
      if (href === null || text === "") return content;
      return `[${text}](${plainTarget(href)})`;
    },
  });
  converter.addRule("images", {
    filter: "img",
    replacement(_content, node) {
      const alt = (node.getAttribute("alt") ?? "").replaceAll(/\s+/g, " ").trim();
      const source = node.getAttribute("src");
      if (source === null) return alt === "" ? "" : `[image: ${escapeBrackets(alt)}]`;
      return `![${escapeBrackets(alt)}](${plainTarget(source)})`;
    },
  });
  converter.addRule("strikethrough", {
    filter: ["del", "s", "strike"],
    replacement: (content) => content.trim() === "" ? content : `~~${content}~~`,
  });
  return converter;
}

function plainTarget(href: string): string {
  return href.replaceAll("(", "%28").replaceAll(")", "%29").replaceAll(/\s/g, "%20");
}

function escapeBrackets(text: string): string {
  return text.replaceAll(/[[\]]/g, "\\$&");
}

function addCodeRule(converter: Converter): void {
  converter.addRule("preformatted", {
    filter: "pre",
    replacement(_content, node) {
      const code = codeText(node).replace(/^\n/, "").replace(/\n+$/, "");
      if (code.trim() === "") return "";
      const longest = Math.max(
        0,
        ...[...code.matchAll(/^\s*(`{3,})/gm)].map(([, run]) => run?.length ?? 0),
      );
      const fence = "`".repeat(Math.max(3, longest + 1));
      return `\n\n${fence}${languageOf(node)}\n${code}\n${fence}\n\n`;
    },
  });
}

/** The text as it stands; a line break may be an element. */
function codeText(node: PageElement): string {
  if (!elementsBelow(node).some(({ nodeName }) => nodeName === "BR")) return node.textContent;
  const parts: string[] = [];
  const open: (PageNode | null)[] = [node.firstChild];
  while (open.length > 0) {
    const next = open.pop() ?? null;
    if (next === null) continue;
    open.push(next.nextSibling);
    if (next.nodeName === "BR") parts.push("\n");
    else if (next.nodeType === 3) parts.push(next.nodeValue ?? "");
    else open.push(next.firstChild);
  }
  return parts.join("");
}

function languageOf(node: PageElement): string {
  const around = node.parentNode !== null && isElement(node.parentNode) ? [node.parentNode] : [];
  const classes = [node, ...elementsBelow(node).slice(0, 1), ...around]
    .map((each) => each.getAttribute("class") ?? "").join(" ");
  return /(?:^|\s)(?:(?:language|lang|highlight-source)-|brush:\s*)([A-Za-z0-9+#-]{1,20})/.exec(
    classes,
  )?.[1] ??
    "";
}

function tableOf(node: PageNode): PageElement | null {
  let parent = node.parentNode;
  while (parent !== null && parent.nodeName !== "TABLE") parent = parent.parentNode;
  return parent !== null && isElement(parent) ? parent : null;
}

/** Whether a table arranges values in rows and columns, rather than the parts of a page. */
function isDataTable(table: PageElement): boolean {
  if (/^(?:presentation|none)$/.test(table.getAttribute("role") ?? "")) return false;
  const rows = rowsOf(table);
  const columns = Math.max(0, ...rows.map((row) => row.length));
  if (columns < 2 || rows.length < 2) return false;
  return !elementsBelow(table).some(({ nodeName }) => BLOCKS_IN_CELL.has(nodeName));
}

function rowsOf(table: PageElement): readonly (readonly PageElement[])[] {
  const groups = ["THEAD", "TBODY", "TFOOT"];
  return childrenOf(table).flatMap((child) =>
    groups.includes(child.nodeName) ? childrenOf(child) : [child]
  )
    .filter(({ nodeName }) => nodeName === "TR")
    .map((row) => childrenOf(row).filter(({ nodeName }) => nodeName === "TD" || nodeName === "TH"))
    .filter((row) => row.length > 0);
}

function formatTable(table: PageElement, cells: ReadonlyMap<PageNode, string>): string {
  const rows = rowsOf(table).map((row) =>
    row.flatMap((cell) => {
      const span = Math.min(20, Math.max(1, Number(cell.getAttribute("colspan") ?? 1) || 1));
      return [cellText(cells.get(cell) ?? ""), ...Array.from({ length: span - 1 }, () => "")];
    })
  );
  const columns = Math.max(...rows.map((row) => row.length));
  const lines = rows.map((row) =>
    `| ${Array.from({ length: columns }, (_, index) => row[index] ?? "").join(" | ")} |`
  );
  const caption = childrenOf(table).find(({ nodeName }) => nodeName === "CAPTION")?.textContent ??
    "";
  return [
    ...caption.trim() === "" ? [] : [`${caption.replaceAll(/\s+/g, " ").trim()}\n`],
    lines[0] ?? "",
    `|${" --- |".repeat(columns)}`,
    ...lines.slice(1),
  ].join("\n");
}

function cellText(content: string): string {
  return content.trim().replaceAll(/\s*\n\s*/g, " ").replaceAll(/(?<!\\)\|/g, "\\|");
}
