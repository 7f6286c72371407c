import { textResult, type ToolResult } from "@alisio/sdk";
import { isReal } from "../core/paths/leads_to.ts";
import {
  characterStart,
  decodeBytes,
  nextCharacterStart,
  utf8Length,
  visibleText,
} from "../core/process/visible_text.ts";
import type { HostTool, HostToolContext } from "../core/tools/host_tool.ts";
import { jsonResult, quoted } from "./_json_result.ts";
import type { ProgramPorts } from "./_program_ports.ts";
import { RecordSplitter } from "./_record_splitter.ts";
import {
  printedPath,
  type PrintedPlace,
  printedPlace,
  type RipgrepRun,
  runRipgrep,
} from "./_ripgrep.ts";
import { parseRipgrepEvent, type RipgrepEvent } from "./_ripgrep_events.ts";
import { confirmShown, type ShownBytes } from "./_shown_lines.ts";
import { SEARCH_TEXT } from "./tool_definitions.ts";

const MAX_MATCHES_PER_FILE = 100;
/** Most bytes of matches in one result, so that it fits whole into what a model is sent. */
const MAX_MATCHES_BYTES = 40_000;
/** Most files that a result names as binary, or as having more matches. */
const MAX_NAMED_FILES = 20;
/** Longest line that is read whole; a longer one is reported without its text. */
const MAX_EVENT_BYTES = 4 * 1024 * 1024;
/** How much of a line is shown. */
const MAX_LINE_BYTES = 400;
/** How much of it stands before the match, at least. */
const LEAD_BYTES = 120;
/** Exit status of ripgrep for whatever it cannot use. */
const PATTERN_REFUSED = 2;

/**
 * Creates `search_text`: lines that match a pattern, in the same order every time.
 *
 * @param ports Where ripgrep is.
 */
export function createSearchTextTool(ports: ProgramPorts): HostTool {
  return {
    ...SEARCH_TEXT,
    execute: (input, context) => searchText(ports, input, context),
  };
}

async function searchText(
  ports: ProgramPorts,
  input: Record<string, unknown>,
  context: HostToolContext,
): Promise<ToolResult> {
  const pattern = typeof input["pattern"] === "string" ? input["pattern"] : "";
  const problem = patternProblem(pattern);
  if (problem !== null) return textResult(`Cannot search text: ${problem}`, true);
  const found = new SearchFindings((path) => printedPlace(context, path));
  const events = new RecordSplitter(0x0a, MAX_EVENT_BYTES, (record, isComplete) => {
    const event = parseRipgrepEvent(record, isComplete);
    if (event !== null) found.add(event);
  });
  const run = await runRipgrep(ports, context, {
    purpose: "search text",
    path: placeOf(input),
    args: [
      "--json",
      // One more than is shown tells whether there are more.
      `--max-count=${MAX_MATCHES_PER_FILE + 1}`,
      ...(input["literal"] === true ? ["--fixed-strings"] : []),
      // In one word, so that no pattern is taken for an option.
      `--regexp=${pattern}`,
    ],
    onOutput(bytes, stop) {
      events.write(bytes);
      if (found.isFull) stop();
    },
  });
  if (run.kind === "failed") return textResult(run.message, true);
  const isLate = run.outcome.endedBy === "timeout";
  if (!found.isComplete && !found.isFull && !isLate) {
    return textResult(explainFailure(pattern, run), true);
  }
  await found.confirm(ports.isSecret);
  return jsonResult(found.result({ isLate, complaint: run.complaint }));
}

function patternProblem(pattern: string): string | null {
  if (pattern === "") return '"pattern" is empty; pass a regular expression';
  if (pattern.includes("\0")) return '"pattern" holds a NUL character; leave it out';
  if (/[\r\n]/.test(pattern)) {
    return '"pattern" holds a line end, and one line is searched at a time; search for one of them';
  }
  return null;
}

function explainFailure(
  pattern: string,
  { outcome, complaint }: Extract<RipgrepRun, { kind: "ran" }>,
): string {
  const cannot = `Cannot search text for ${quoted(pattern)}: `;
  // A pattern is refused before anything is read. What fails later is no fault of the pattern.
  if (outcome.exitCode === PATTERN_REFUSED && outcome.stdoutBytes === 0 && complaint !== "") {
    return `${cannot}${complaint}\n` +
      'Correct the regular expression, or set "literal": true to search for the text as it is';
  }
  const why = complaint === "" ? "" : ` (${complaint})`;
  return `${cannot}ripgrep ended with ${outcome.exitCode} before it was done${why}; search again, ` +
    "or search a smaller folder";
}

interface TextMatch {
  readonly file: string;
  readonly line: number | null;
  readonly text: string;
}

/** A file in which something was found. */
interface SearchedFile {
  readonly name: string;
  readonly place: PrintedPlace;
}

/** A match, and where what is shown of it can be looked up. */
interface FoundMatch {
  readonly file: SearchedFile;
  readonly shown: TextMatch;
  readonly piece: ShownBytes;
}

const NOWHERE: SearchedFile = { name: "", place: { path: "", isWhole: false } };

/** What a search has found so far, bounded. */
class SearchFindings {
  /** Whether there is no room for more. */
  isFull = false;
  /** Whether the search went to its end. */
  isComplete = false;
  readonly #placeOf: (printed: Uint8Array) => PrintedPlace;
  #matches: FoundMatch[] = [];
  #leftOut = 0;
  readonly #filesAtLimit: SearchedFile[] = [];
  readonly #binaryFiles: SearchedFile[] = [];
  #bytes = 0;
  #file = NOWHERE;
  /** Matches of the file at hand. They count once the file is known to be text. */
  #pending: FoundMatch[] = [];
  #isFileBinary = false;

  constructor(placeOf: (printed: Uint8Array) => PrintedPlace) {
    this.#placeOf = placeOf;
  }

  add(event: RipgrepEvent): void {
    if (this.isFull) return;
    switch (event.type) {
      case "begin":
        this.#file = { name: printedPath(event.path), place: this.#placeOf(event.path) };
        this.#pending = [];
        this.#isFileBinary = false;
        return;
      case "match":
        this.#addMatch(event);
        return;
      case "end":
        this.#endFile(event.isBinary);
        return;
      case "summary":
        this.isComplete = true;
        return;
      default:
        event satisfies never;
    }
  }

  /** Leaves out what is not in the files that the paths lead to, links aside, and stored keys. */
  async confirm(isSecret: (real: string) => boolean = () => false): Promise<void> {
    const confirmed: FoundMatch[] = [];
    this.#matches = this.#matches.filter(({ file }) => !isSecret(file.place.path));
    for (const [file, matches] of Map.groupBy(this.#matches, (match) => match.file)) {
      const answers = await confirmIn(file, matches.map(({ piece }) => piece));
      confirmed.push(...matches.filter((_match, index) => answers[index]));
    }
    this.#leftOut = this.#matches.length - confirmed.length;
    this.#matches = confirmed;
  }

  result(end: { readonly isLate: boolean; readonly complaint: string }): Record<string, unknown> {
    const notes = [
      ...(this.isFull ? ["There are more matches; narrow the pattern or the path"] : []),
      ...(end.isLate ? ["The time limit ended the search; search a smaller folder"] : []),
      ...(this.#leftOut > 0
        ? [`${this.#leftOut} matches were left out: their files changed meanwhile; search again`]
        : end.complaint === ""
        ? []
        : [end.complaint]),
    ];
    const atLimit = namesInPlace(this.#filesAtLimit);
    const binary = namesInPlace(this.#binaryFiles);
    return {
      matches: this.#matches.map(({ shown }) => shown),
      truncated: this.isFull || end.isLate || atLimit.length > 0 || this.#leftOut > 0,
      ...(atLimit.length === 0 ? {} : { filesWithMoreMatches: atLimit }),
      ...(binary.length === 0 ? {} : { binaryFilesSkipped: binary }),
      ...(notes.length === 0 ? {} : { note: notes.join("\n") }),
    };
  }

  #addMatch(event: RipgrepEvent & { readonly type: "match" }): void {
    if (event.line?.includes(0) === true) this.#isFileBinary = true;
    const { line, lineNumber, start, offset } = event;
    const { text, from, to } = line === null ? TOO_LONG : clipLine(line, start);
    this.#pending.push({
      file: this.#file,
      shown: { file: this.#file.name, line: lineNumber, text },
      piece: { offset: offset + from, bytes: line?.slice(from, to) ?? new Uint8Array() },
    });
  }

  #endFile(isBinary: boolean): void {
    if (isBinary || this.#isFileBinary) {
      if (this.#binaryFiles.length < MAX_NAMED_FILES) this.#binaryFiles.push(this.#file);
      return;
    }
    if (this.#pending.length > MAX_MATCHES_PER_FILE) {
      if (this.#filesAtLimit.length < MAX_NAMED_FILES) this.#filesAtLimit.push(this.#file);
    }
    for (const match of this.#pending.slice(0, MAX_MATCHES_PER_FILE)) {
      this.#bytes += utf8Length(JSON.stringify(match.shown)) + 1;
      if (this.#bytes > MAX_MATCHES_BYTES) {
        this.isFull = true;
        return;
      }
      this.#matches.push(match);
    }
  }
}

/** What is confirmed of a file without a name in UTF-8 is that its folder is in place. */
async function confirmIn(
  { place }: SearchedFile,
  pieces: readonly ShownBytes[],
): Promise<readonly boolean[]> {
  if (place.isWhole) return await confirmShown(place.path, pieces);
  const inPlace = isReal(place.path);
  return pieces.map(() => inPlace);
}

function namesInPlace(files: readonly SearchedFile[]): readonly string[] {
  return files.filter(({ place }) => isReal(place.path)).map(({ name }) => name);
}

/** A part of a line, as it is shown, and which bytes of the line it stands for. */
interface ClippedLine {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

const TOO_LONG: ClippedLine = { text: "[line too long to show]", from: 0, to: 0 };

/** The part of a line around its first match, with marks where something was left out. */
function clipLine(line: Uint8Array, matchStart: number): ClippedLine {
  let length = line.length;
  while (length > 0 && (line[length - 1] === 0x0a || line[length - 1] === 0x0d)) length--;
  const text = line.subarray(0, length);
  if (length <= MAX_LINE_BYTES) {
    return { text: visibleText(decodeBytes(text)), from: 0, to: length };
  }
  const wanted = Math.max(0, Math.min(matchStart - LEAD_BYTES, length - MAX_LINE_BYTES));
  const from = nextCharacterStart(text, wanted);
  const to = characterStart(text, Math.min(length, wanted + MAX_LINE_BYTES));
  const part = visibleText(decodeBytes(text.subarray(from, to)));
  return { text: `${from > 0 ? "…" : ""}${part}${to < length ? "…" : ""}`, from, to };
}

function placeOf(input: Record<string, unknown>): string {
  return typeof input["path"] === "string" && input["path"] !== "" ? input["path"] : ".";
}
