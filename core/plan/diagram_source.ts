import { utf8Length } from "../process/visible_text.ts";
import { countNodes } from "./count_nodes.ts";

/** Largest source of a diagram. */
export const MAX_DIAGRAM_BYTES = 8192;

/** Most things that a diagram shows. */
export const MAX_DIAGRAM_NODES = 40;

/** A source that was looked at. */
export type CheckedSource =
  | {
    readonly status: "accepted";
    /** The keyword of Mermaid. */
    readonly syntax: string;
    /** With plain line ends, and without spaces and empty lines at the ends. */
    readonly source: string;
  }
  | { readonly status: "rejected"; readonly reason: string };

const KEYWORDS: ReadonlySet<string> = new Set([
  "flowchart",
  "graph",
  "sequenceDiagram",
  "stateDiagram",
  "stateDiagram-v2",
  "erDiagram",
  "classDiagram",
  "gantt",
  "mindmap",
  "timeline",
  "journey",
]);

/** In these, a line is free text, so that such a word at its start calls nothing. */
const TEXT_KINDS: ReadonlySet<string> = new Set(["mindmap", "timeline", "journey"]);

// deno-lint-ignore no-control-regex -- what steers a terminal; tabs and line ends are text
const CONTROL_REGEXP = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
const FRONT_MATTER_REGEXP = /^\s*---[ \t]*\n([\s\S]*?\n)?[ \t]*---[ \t]*(?:\n|$)/;
const DIRECTIVE_REGEXP = /%%\{([\s\S]*?)\}\s*%%/g;
const SETTING_REGEXP = new RegExp(
  "securityLevel|htmlLabels|secure|dompurify|themeCSS|maxTextSize|maxEdges|startOnLoad|callback|" +
    "logLevel|deterministicIds",
  "i",
);
const CALL_REGEXP = /(?:^|;)\s*(click|links?|callback)\b/im;

const SCRIPT_REGEXP = /javascript:|vbscript:/i;

const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/data:[\w.+-]+\//i, 'it holds a "data:" address'],
  [/href/i, 'it holds "href"'],
  [/url\(/i, 'it holds "url("'],
  [/@import/i, 'it holds "@import"'],
];

/**
 * Checks the source of a diagram without drawing it: nothing in it may run, load or lead anywhere.
 * Pure.
 *
 * @param text The source.
 */
export function checkSource(text: string): CheckedSource {
  const source = normalise(text);
  const problem = problemOfText(source);
  if (problem !== null) return { status: "rejected", reason: problem };
  const [, settings = ""] = FRONT_MATTER_REGEXP.exec(source) ?? [];
  const body = source.replace(FRONT_MATTER_REGEXP, "");
  const directives = [...body.matchAll(DIRECTIVE_REGEXP)].map(([, inner = ""]) => inner);
  const drawn = body.replace(DIRECTIVE_REGEXP, "");
  const lines = drawn.split("\n").filter((line) => !/^\s*%%/.test(line));
  const at = lines.findIndex((line) => line.trim() !== "");
  const [syntax = ""] = (lines[at] ?? "").trim().split(/[\s;:]/);
  const flaw = problemOfSettings([settings, ...directives], source, drawn) ??
    problemOfBody(syntax, drawn, lines.slice(at + 1));
  return flaw === null
    ? { status: "accepted", syntax, source }
    : { status: "rejected", reason: flaw };
}

function problemOfText(source: string): string | null {
  const bytes = utf8Length(source);
  if (source === "") return "it has no Mermaid source";
  if (bytes > MAX_DIAGRAM_BYTES) {
    return `its source has ${bytes} bytes, the limit is ${MAX_DIAGRAM_BYTES}`;
  }
  if (CONTROL_REGEXP.test(source)) return "it holds control characters";
  const plain = withoutEntities(source);
  const readings = [source, plain, withoutEscapes(plain)];
  // Whoever follows an address leaves out line ends and tabs in it.
  const addresses = readings.map((each) => each.replace(/[\t\n]+/g, ""));
  if (addresses.some((each) => SCRIPT_REGEXP.test(each))) return "it holds the address of a script";
  const found = FORBIDDEN.find(([pattern]) => readings.some((each) => pattern.test(each)));
  if (found !== undefined) return found[1];
  const hasTag = readings.some((each) => /<[/!?]?[a-z]/i.test(each.replace(/<<[\w -]+>>/g, " ")));
  return hasTag ? "it holds an HTML tag; write plain text in labels" : null;
}

function problemOfSettings(
  settings: readonly string[],
  source: string,
  drawn: string,
): string | null {
  if (drawn.includes("%%{")) return 'it holds a "%%{" that is not closed';
  if (/^\s*---/.test(drawn) && /^\s*---/.test(source)) return "its front matter is not closed";
  const [name] = settings.map((each) => SETTING_REGEXP.exec(each)?.[0])
    .filter((each) => each !== undefined);
  if (name !== undefined) return `its settings touch "${name}"`;
  // A spelled-out letter would hide a name.
  return settings.some((each) => each.includes("\\")) ? "its settings hold a backslash" : null;
}

function problemOfBody(syntax: string, drawn: string, lines: readonly string[]): string | null {
  if (!KEYWORDS.has(syntax)) {
    return `"${syntax.slice(0, 40)}" is no kind of diagram that a plan may hold`;
  }
  const [, call] = TEXT_KINDS.has(syntax) ? [] : CALL_REGEXP.exec(drawn) ?? [];
  if (call !== undefined) return `it holds the instruction "${call.toLowerCase()}"`;
  const nodes = countNodes(syntax, lines);
  return nodes > MAX_DIAGRAM_NODES
    ? `it shows about ${nodes} things, the limit is ${MAX_DIAGRAM_NODES}; show less`
    : null;
}

function normalise(text: string): string {
  return text.replace(/\r\n?/g, "\n").split("\n").map((line) => line.trimEnd()).join("\n")
    .replace(/^\n+|\n+$/g, "");
}

/** Characters that are spelled out, as HTML and as Mermaid do. */
function withoutEntities(text: string): string {
  const decode = (code: number, whole: string) =>
    code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  return text
    .replace(ENTITY_REGEXP, (whole, hex: string | undefined, digits: string | undefined, name) => {
      if (hex !== undefined) return decode(parseInt(hex, 16), whole);
      if (digits !== undefined) return decode(Number(digits), whole);
      return NAMED[String(name).toLowerCase()] ?? whole;
    });
}

/** Characters that are spelled out as style sheets do. */
function withoutEscapes(text: string): string {
  return text.replace(/\\(?:([0-9a-f]{1,6})[ \t\n]?|(.))/gi, (whole, hex, character) => {
    const code = parseInt(hex ?? "", 16);
    return hex === undefined ? character : code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

const ENTITY_REGEXP =
  /(?:&#x([0-9a-f]{1,6});?|(?:&#(?=\d+;?)|#(?=\d+;))(\d{1,7});?|[&#](colon|tab|newline|lt|lpar|commat);)/gi;

const NAMED: Readonly<Record<string, string>> = {
  colon: ":",
  tab: "",
  newline: "",
  lt: "<",
  lpar: "(",
  commat: "@",
};
