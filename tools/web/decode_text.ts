import type { ContentKind } from "./content_kind.ts";

/** Text, and how it was read. */
export interface DecodedText {
  /** The text, without a byte-order mark. */
  readonly text: string;
  /** The encoding that it was read in. */
  readonly charset: string;
  /** What a reader should know of it. */
  readonly notes: readonly string[];
}

/** How far a page is searched for what it says of its own encoding. */
const PRESCAN_BYTES = 4_096;
const META_REGEXP = /<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([^"'\s/>;]+)/i;
const XML_REGEXP = /^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([^"']+)["']/i;

/**
 * Reads bytes as text: in the encoding of the byte-order mark, else of the header, else of what the
 * document says itself, else in UTF-8, and in windows-1252 where it is not valid UTF-8.
 *
 * @param bytes The bytes.
 * @param label What the header says.
 * @param kind What the bytes are.
 */
export function decodeText(
  bytes: Uint8Array<ArrayBuffer>,
  label: string | null,
  kind: ContentKind,
): DecodedText {
  const notes: string[] = [];
  const mark = markOf(bytes);
  const inner = kind === "html" || kind === "xml" || kind === "feed" || kind === "unnamed"
    ? innerLabel(bytes)
    : null;
  const decoder = mark === null
    ? knownDecoder(label, notes) ?? knownDecoder(inner, notes)
    : new TextDecoder(mark);
  if (decoder !== null) {
    const text = decoder.decode(bytes);
    if (text.includes("\ufffd")) {
      notes.push(`Some bytes are not valid ${decoder.encoding} and are shown as \ufffd`);
    }
    return { text, charset: decoder.encoding, notes };
  }
  try {
    return {
      text: new TextDecoder("utf-8", { fatal: true }).decode(bytes),
      charset: "utf-8",
      notes,
    };
  } catch {
    notes.push("No encoding was named and the bytes are not UTF-8; read as windows-1252");
    return { text: new TextDecoder("windows-1252").decode(bytes), charset: "windows-1252", notes };
  }
}

function markOf([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xff && second === 0xfe ? "utf-16le" : null;
}

function innerLabel(bytes: Uint8Array<ArrayBuffer>): string | null {
  const start = new TextDecoder("windows-1252").decode(bytes.subarray(0, PRESCAN_BYTES));
  const visible = start.replaceAll(/<!--[^]*?-->/g, "");
  const label = XML_REGEXP.exec(visible)?.[1] ?? META_REGEXP.exec(visible)?.[1] ?? null;
  // What could be read byte by byte is not in UTF-16.
  return label !== null && /^utf-?16/i.test(label) ? "utf-8" : label;
}

function knownDecoder(label: string | null, notes: string[]): TextDecoder | null {
  if (label === null) return null;
  try {
    return new TextDecoder(label);
  } catch {
    const shown = JSON.stringify(label.slice(0, 40));
    notes.push(`The page names the encoding ${shown}, which is not known; it was guessed`);
    return null;
  }
}
