/** A table of a page. */
export interface MarkdownTable {
  /** The heading that it stands under, without marks. */
  readonly heading: string;
  /** Cells of the first row. */
  readonly header: readonly string[];
  /** Cells of the other rows, marks kept. */
  readonly rows: readonly (readonly string[])[];
}

/** A fenced block of a page. */
export interface MarkdownBlock {
  /** The heading that it stands under, without marks. */
  readonly heading: string;
  /** The first word after the fence, for example `json`. */
  readonly language: string;
  /** What the comment right before it says, if there is one. */
  readonly comment: string | undefined;
  /** Its lines, each with its line end. */
  readonly text: string;
}

/**
 * Finds the tables of a page.
 *
 * @param page Markdown.
 */
export function findTables(page: string): readonly MarkdownTable[] {
  return sectionsOf(page).flatMap(({ heading, text }) =>
    [...withoutBlocks(text).matchAll(/(?:^\|.*\|$\n?){2,}/gm)].map(([table]) => {
      const [header = [], , ...rows] = table.trimEnd().split("\n").map(cellsOf);
      return { heading, header, rows };
    })
  );
}

/**
 * Finds the only table under a heading.
 *
 * @param page Markdown.
 * @param heading The heading without marks.
 */
export function tableUnder(page: string, heading: string): MarkdownTable {
  const [table, ...others] = findTables(page).filter((found) => found.heading === heading);
  if (table !== undefined && others.length === 0) return table;
  throw new Error(`Expected one table under "${heading}", found ${table ? 1 + others.length : 0}`);
}

/**
 * Finds the fenced blocks of a page.
 *
 * @param page Markdown.
 */
export function findBlocks(page: string): readonly MarkdownBlock[] {
  return sectionsOf(page).flatMap(({ heading, text }) =>
    [...text.matchAll(/(?:<!-- ([^\n]*?) -->\n+)?^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm)].map(
      ([, comment, language = "", body = ""]) => ({ heading, language, comment, text: body }),
    )
  );
}

/**
 * The text of a cell or heading without code marks and links.
 *
 * @param text Inline Markdown.
 */
export function plain(text: string): string {
  return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "").replaceAll("\\|", "|");
}

/**
 * The headings of a page, marks kept.
 *
 * @param page Markdown.
 */
export function headingsOf(page: string): readonly string[] {
  return [...withoutBlocks(page).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = ""]) => heading);
}

interface Section {
  readonly heading: string;
  readonly text: string;
}

/** Lines inside a fence are no headings, whatever they start with. */
function sectionsOf(page: string): readonly Section[] {
  const sections: { heading: string; text: string }[] = [{ heading: "", text: "" }];
  let isFenced = false;
  for (const line of page.split("\n")) {
    if (line.startsWith("```")) isFenced = !isFenced;
    const heading = isFenced ? undefined : /^#{1,6} (.*)$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ heading: plain(heading), text: "" });
    else (sections.at(-1) ?? { text: "" }).text += `${line}\n`;
  }
  return sections;
}

function withoutBlocks(page: string): string {
  return page.replaceAll(/^```[\s\S]*?^```$/gm, "");
}

function cellsOf(line: string): readonly string[] {
  return line.slice(1, -1).split(/(?<!\\)\|/).map((cell) => cell.trim());
}
