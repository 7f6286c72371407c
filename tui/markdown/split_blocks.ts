import { expandTabs } from "../text/safe_text.ts";

/** A part of a Markdown text that can be laid out by itself. */
export interface MarkdownPart {
  /** `fence` is a code block that stands at the margin; anything else is `text`. */
  readonly kind: "text" | "fence";
  /** Markdown of a text; the code of a fence. */
  readonly source: string;
  /** What stands behind the opening fence. */
  readonly info?: string;
  /** Whether an empty row stands before it. */
  readonly hasGap: boolean;
}

interface Fence {
  readonly mark: string;
  readonly length: number;
}

const FENCE_REGEXP = /^( *)(`{3,}|~{3,})(.*)$/;
const LIST_REGEXP = /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?: |$)/;
const SEPARATOR_REGEXP = /^[ \t:\-–—―─━═|]+$/;

/**
 * Takes a Markdown text piece by piece and parts it where nothing that follows can change what
 * stands before. What is closed is never looked at again; only the last part is open.
 */
export class BlockSplitter {
  readonly #closed: MarkdownPart[] = [];
  /** Complete lines of the part that is open. */
  #lines: string[] = [];
  /** The line that has no end yet. */
  #rest = "";
  /** The fence at the margin that is open. */
  #fence: (Fence & { readonly info: string }) | undefined;
  /** A fence inside a list or the like. */
  #inner: Fence | undefined;
  #afterBlank = false;
  /** Whether an empty line stood before the part that is open. */
  #hasGap = false;

  /**
   * Takes the next piece.
   *
   * @param text The piece: safe text, but for tabs.
   */
  push(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#take(expandTabs(line));
  }

  /** Ends the text: everything is closed. */
  end(): void {
    if (this.#rest !== "") this.#take(expandTabs(this.#rest));
    this.#rest = "";
    this.#close();
  }

  /** Parts that stay as they are. */
  get closed(): readonly MarkdownPart[] {
    return this.#closed;
  }

  /** The part that still grows, without the line that has no end yet. */
  open(): { readonly part: MarkdownPart; readonly rest: string } {
    return { part: this.#part(), rest: expandTabs(this.#rest) };
  }

  #take(line: string): void {
    if (this.#fence !== undefined) {
      if (closes(line, this.#fence)) this.#close();
      else this.#lines.push(line);
      return;
    }
    if (this.#inner !== undefined) {
      if (closes(line, this.#inner)) this.#inner = undefined;
      this.#lines.push(line);
      return;
    }
    if (line.trim() === "") {
      this.#afterBlank = true;
      this.#lines.push(line);
      return;
    }
    if (this.#startsPart(line)) this.#close();
    this.#afterBlank = false;
    const fence = opensFence(line);
    if (fence === undefined) {
      this.#lines.push(normaliseSeparator(line));
      return;
    }
    if (fence.indent === 0 || (fence.indent < 4 && !this.#isList())) {
      this.#close();
      this.#fence = fence;
      return;
    }
    if (fence.indent < 4 || this.#isList()) this.#inner = fence;
    this.#lines.push(line);
  }

  /** Items of a list are parts of their own, so that a long one is not read again for each. */
  #startsPart(line: string): boolean {
    if (line.startsWith("  ")) return false;
    return this.#afterBlank || (this.#isList() && LIST_REGEXP.test(line));
  }

  #isList(): boolean {
    return LIST_REGEXP.test(this.#lines[0] ?? "");
  }

  #close(): void {
    const part = this.#part();
    if (part.kind === "fence" || part.source.trim() !== "") this.#closed.push(part);
    this.#hasGap = this.#afterBlank || part.kind === "fence";
    this.#lines = [];
    this.#fence = undefined;
    this.#inner = undefined;
    this.#afterBlank = false;
  }

  #part(): MarkdownPart {
    const source = this.#lines.join("\n");
    if (this.#fence === undefined) return { kind: "text", source, hasGap: this.#hasGap };
    return { kind: "fence", source, info: this.#fence.info, hasGap: true };
  }
}

function opensFence(line: string): (Fence & { info: string; indent: number }) | undefined {
  const match = FENCE_REGEXP.exec(line);
  if (match === null) return undefined;
  const [, indent = "", marks = "", info = ""] = match;
  if (marks.startsWith("`") && info.includes("`")) return undefined;
  return { mark: marks.charAt(0), length: marks.length, info: info.trim(), indent: indent.length };
}

function closes(line: string, fence: Fence): boolean {
  const text = line.trim();
  return text.length >= fence.length && text === fence.mark.repeat(text.length);
}

/** Models draw the row below a table's heads with dashes of every kind. */
function normaliseSeparator(line: string): string {
  const isSeparator = SEPARATOR_REGEXP.test(line) && line.includes("|");
  return isSeparator ? line.replace(/[-–—―─━═]*[–—―─━═][-–—―─━═]*/g, "---") : line;
}
