/** How a body is read. */
export type ContentKind = "html" | "feed" | "xml" | "json" | "text" | "unnamed";

/** What is said of a type, and how a body of it is read; `null` where it is not text. */
export interface ContentType {
  /** The type in lower case, without parameters; empty where none was sent. */
  readonly type: string;
  /** The parameter `charset`. */
  readonly charset: string | null;
  /** How a body of it is read. */
  readonly kind: ContentKind | null;
}

const FEED_TYPES: ReadonlySet<string> = new Set([
  "application/rss+xml",
  "application/atom+xml",
  "application/rdf+xml",
  "application/feed+json",
]);

/** Text that is not of a type `text/…`. */
const TEXT_TYPES: ReadonlySet<string> = new Set([
  "application/javascript",
  "application/ecmascript",
  "application/x-javascript",
  "application/typescript",
  "application/x-sh",
  "application/x-httpd-php",
  "application/yaml",
  "application/x-yaml",
  "application/toml",
  "application/sql",
  "application/graphql",
  "application/ndjson",
  "application/x-ndjson",
  "application/jsonl",
  "application/x-www-form-urlencoded",
  "application/x-tex",
  "application/x-subrip",
  "application/xml-dtd",
  "message/rfc822",
  "message/http",
]);

/** Types that say nothing of what is sent. */
const UNNAMED_TYPES: ReadonlySet<string> = new Set([
  "",
  "application/octet-stream",
  "binary/octet-stream",
  "application/unknown",
  "unknown/unknown",
]);

/**
 * Reads the header `Content-Type`.
 *
 * @param header The header, if there is one.
 */
export function parseContentType(header: string | undefined): ContentType {
  const [first = "", ...parameters] = (header ?? "").split(";");
  // Several headers arrive as one, with commas between them; the first one stands.
  const type = (first.split(",")[0] ?? "").trim().toLowerCase();
  const charset = parameters.map((each) => /^\s*charset\s*=\s*["']?([^"';,\s]+)/i.exec(each)?.[1])
    .find((value) => value !== undefined);
  return { type, charset: charset ?? null, kind: kindOf(type) };
}

function kindOf(type: string): ContentKind | null {
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  if (FEED_TYPES.has(type)) return "feed";
  if (/^(?:application|text)\/(?:.*\+)?json5?$/.test(type)) return "json";
  if (/^(?:application|text)\/(?:.*\+)?xml$/.test(type) || type === "image/svg+xml") return "xml";
  if (type.startsWith("text/") || TEXT_TYPES.has(type)) return "text";
  return UNNAMED_TYPES.has(type) ? "unnamed" : null;
}

/** What files of other kinds begin with, byte by byte. */
const SIGNATURES: readonly (readonly [string, string])[] = [
  ["%PDF-", "a PDF file"],
  ["\x89PNG", "a PNG image"],
  ["\xff\xd8\xff", "a JPEG image"],
  ["GIF8", "a GIF image"],
  ["RIFF", "an image or a sound"],
  ["PK\x03\x04", "a ZIP archive or an office document"],
  ["\x1f\x8b", "a compressed file"],
  ["\x7fELF", "a program"],
  ["wOF", "a font"],
];

/**
 * Says what a body is that is not text, whatever its type says.
 *
 * @param bytes The body.
 * @returns What it is; `null` where it may be text.
 */
export function binaryForm(bytes: Uint8Array): string | null {
  const start = String.fromCharCode(...bytes.subarray(0, 16));
  const known = SIGNATURES.find(([signature]) => start.startsWith(signature));
  if (known !== undefined) return known[1];
  // Text in UTF-16 has zeros too, but begins with a mark.
  if (start.startsWith("\xff\xfe") || start.startsWith("\xfe\xff")) return null;
  return bytes.subarray(0, 8_192).includes(0) ? "a binary file" : null;
}

/**
 * Says how text is read whose type is too general: what claims to be XML or nothing may be a feed or
 * a page.
 *
 * @param kind What the type says.
 * @param text The text.
 */
export function refineKind(kind: ContentKind, text: string): Exclude<ContentKind, "unnamed"> {
  const start = text.slice(0, 4_096).replace(/^(?:\s|<\?[^>]*>|<!--[^]*?-->)+/, "");
  const looksLikeFeed = /^<(?:rss|feed|rdf:RDF)[\s>]/i.test(start);
  const looksLikePage = /^<(?:!doctype\s+html|html|head|body)[\s>]/i.test(start);
  switch (kind) {
    case "xml":
      return looksLikeFeed ? "feed" : looksLikePage ? "html" : "xml";
    case "json":
      return isJsonFeed(text) ? "feed" : "json";
    case "unnamed":
      return looksLikeFeed ? "feed" : looksLikePage ? "html" : "text";
    case "html":
    case "feed":
    case "text":
      return kind;
    default:
      return kind satisfies never;
  }
}

function isJsonFeed(text: string): boolean {
  return /"version"\s*:\s*"https:\/\/jsonfeed\.org\/version\//.test(text.slice(0, 4_096));
}
