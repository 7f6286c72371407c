import { textResult, type ToolResult } from "@alisio/sdk";
import { MAX_EDITABLE_BYTES } from "../core/files/editable_file.ts";
import { toFileError } from "../core/files/file_error.ts";
import { formatLines } from "../core/files/format_lines.ts";
import { type LineWindow, readLineWindow } from "../core/files/line_window.ts";
import { readUpTo } from "../core/files/read_up_to.ts";
import { openJudged } from "../core/files/regular_file.ts";
import { sha256Hex } from "../core/files/sha256.ts";
import { detectTextForm, type TextForm } from "../core/files/text_encoding.ts";
import { quotePath } from "../core/paths/quote_path.ts";
import type { HostTool, HostToolContext } from "../core/tools/host_tool.ts";
import { answerFailures, displayPath, readText, ToolFailure } from "./_file_tools.ts";
import { findReadableFile, type ReadableFile } from "./_readable_file.ts";
import type { ProgramPorts } from "./_program_ports.ts";
import { DEFAULT_READ_LINES, READ_FILE } from "./tool_definitions.ts";

/** Most that the lines of one result need inside a JSON string. */
const MAX_CONTENT_BYTES = 40_000;

const CHUNK_BYTES = 262_144;

/**
 * Creates the tool that reads a text file in numbered lines. Files of any size are read in parts,
 * with no more than one part and 1 MiB in memory.
 *
 * @param ports Which files are closed.
 */
export function createReadFileTool(ports: Pick<ProgramPorts, "secretFiles"> = {}): HostTool {
  const closed = ports.secretFiles ?? [];
  return {
    ...READ_FILE,
    execute: (input, context) => answerFailures(() => readFile(input, context, closed)),
  };
}

/** Where to start, and how much to show. */
interface Range {
  readonly startLine: number;
  readonly startColumn: number;
  readonly maxLines: number;
}

async function readFile(
  input: Record<string, unknown>,
  context: HostToolContext,
  closed: readonly string[],
): Promise<ToolResult> {
  const range: Range = {
    startLine: readCount(input, "startLine", 1),
    startColumn: readCount(input, "startColumn", 1),
    maxLines: readCount(input, "limit", DEFAULT_READ_LINES),
  };
  const found = await findReadableFile(readText(input, "path"), context, closed);
  try {
    using file = await openJudged(found.real, "read");
    return await readRange(file, range, { found, context });
  } catch (error) {
    throw toFileError(error, "read", found.real);
  }
}

function readCount(input: Record<string, unknown>, name: string, fallback: number): number {
  const value = input[name] ?? fallback;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1) return value;
  throw new TypeError(`Input field "${name}" must be a whole number from 1`);
}

async function readRange(
  file: Deno.FsFile,
  range: Range,
  { found, context }: { readonly found: ReadableFile; readonly context: HostToolContext },
): Promise<ToolResult> {
  const options = { maxBytes: MAX_EDITABLE_BYTES, claimedBytes: found.size };
  const start = await readUpTo(file, options);
  const form = detectTextForm(start.bytes, { partial: !start.complete });
  const path = displayPath(found.real, context.workspace);
  if (form.kind === "binary") {
    const bytes = Math.max(found.size, start.bytes.length);
    throw new ToolFailure(
      `Cannot read file ${quotePath(path)} as text: it is binary (${form.type}, ${bytes} bytes)`,
    );
  }
  const hashing = start.complete ? sha256Hex(start.bytes) : null;
  const text = start.bytes.subarray(form.bomBytes);
  const chunks = toUtf8(start.complete ? [text] : readChunks(file, text, context.signal), form);
  const window = await readLineWindow(chunks, { ...range, maxBytes: MAX_CONTENT_BYTES });
  if (window.kind !== "lines") throw outOfRange(path, range, window);
  const { atEnd } = window;
  const lines = formatLines(window.bytes, { ...range, maxJsonBytes: MAX_CONTENT_BYTES, atEnd });
  const note = describe(found, form, { shown: window.bytes, size: start.bytes.length });
  return textResult(JSON.stringify({
    path,
    sha256: await hashing,
    startLine: range.startLine,
    ...(range.startColumn > 1 ? { startColumn: range.startColumn } : {}),
    content: lines.content,
    truncated: lines.next !== null,
    ...(lines.next === null ? {} : { nextLine: lines.next.line }),
    ...(lines.next === null || lines.next.column === 1 ? {} : { nextColumn: lines.next.column }),
    ...(note === "" ? {} : { note }),
  }));
}

async function* readChunks(
  file: Deno.FsFile,
  first: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  yield first;
  const buffer = new Uint8Array(CHUNK_BYTES);
  while (true) {
    signal.throwIfAborted();
    const count = await file.read(buffer);
    if (count === null) return;
    yield buffer.subarray(0, count);
  }
}

async function* toUtf8(
  chunks: AsyncIterable<Uint8Array<ArrayBuffer>> | Iterable<Uint8Array<ArrayBuffer>>,
  form: TextForm,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (form.encoding !== "utf-16le" && form.encoding !== "utf-16be") return yield* chunks;
  const decoder = new TextDecoder(form.encoding, { ignoreBOM: true });
  const encoder = new TextEncoder();
  for await (const chunk of chunks) yield encoder.encode(decoder.decode(chunk, { stream: true }));
  yield encoder.encode(decoder.decode());
}

function outOfRange(
  path: string,
  range: Range,
  window: Exclude<LineWindow, { kind: "lines" }>,
): ToolFailure {
  const failed = `Cannot read file ${quotePath(path)} from `;
  return window.kind === "past_last_line"
    ? new ToolFailure(`${failed}line ${range.startLine}: it has ${count(window.lines, "line")}`)
    : new ToolFailure(
      `${failed}column ${range.startColumn} of line ${range.startLine}: the line has ` +
        count(window.characters, "character"),
    );
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function describe(
  found: ReadableFile,
  form: TextForm,
  content: { readonly shown: Uint8Array; readonly size: number },
): string {
  const notes: string[] = [];
  if (found.note !== null) notes.push(found.note);
  if (content.size === 0) notes.push("The file is empty");
  if (form.encoding === "unknown-8bit") {
    notes.push(
      "The file is not UTF-8: bytes of unknown characters are shown as \\xNN; edit_file can " +
        "change its ASCII text",
    );
  } else if (form.encoding !== "utf-8") {
    notes.push(`Stored as ${form.encoding.toUpperCase()} with a byte-order mark, which edits keep`);
  }
  if (content.shown.includes(0)) notes.push("NUL characters are part of the text");
  return notes.join(". ");
}
