/** A block of a page that shows what a command prints. */
export interface GeneratedBlock {
  /** Arguments of the command, without the program. */
  readonly args: readonly string[];
  /** What the page shows. */
  readonly shown: string;
}

const BLOCK_REGEXP = /(<!-- output of: alisio ([^\n]*?) -->\n+```text\n)([\s\S]*?)(```)/g;

/**
 * Finds the blocks of a page that are made from the output of a command: a comment such as
 * `<!-- output of: alisio run --help -->`, and a `text` block after it.
 *
 * @param page Markdown.
 */
export function findGeneratedBlocks(page: string): readonly GeneratedBlock[] {
  return [...page.matchAll(BLOCK_REGEXP)].map(([, , command = "", shown = ""]) => ({
    args: command.split(" "),
    shown,
  }));
}

/**
 * Puts new output into the blocks of a page.
 *
 * @param page Markdown.
 * @param outputs One for each block, in order.
 */
export function fillGeneratedBlocks(page: string, outputs: readonly string[]): string {
  const left = outputs.values();
  return page.replace(BLOCK_REGEXP, (_, open: string, _command, _shown, close: string) => {
    const { value = "" } = left.next();
    return `${open}${value}${close}`;
  });
}
