import { characterStart, utf8Length, visibleOutput } from "../process/visible_text.ts";

/** Longest character, in bytes. */
const MAX_CHARACTER_BYTES = 4;
/** Most bytes of text in JSON, so that a page fits whole into what a model is sent. */
const MAX_JSON_BYTES = 44_000;

/** What is read of a log. */
export interface LogRange {
  /** First byte. */
  readonly offset: number;
  /** Most bytes. */
  readonly limit: number;
  /** Whether nothing will be added to the log any more. */
  readonly isEnded: boolean;
}

/** A part of a log. */
export interface LogPage {
  /** As a reader can see it: control characters and bytes that are no text are escaped. */
  readonly text: string;
  /** Where the next part begins. */
  readonly nextOffset: number;
  /** Whether nothing follows, ever. */
  readonly isAtEnd: boolean;
}

/**
 * Reads a part of the log of a task. It ends with a whole character, and before `limit` where its
 * text would be too long for a model.
 *
 * @param path The log. A missing one has nothing in it.
 * @param range What is read of it.
 */
export async function readTaskLog(path: string, range: LogRange): Promise<LogPage> {
  let file: Deno.FsFile;
  try {
    file = await Deno.open(path, { read: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return { text: "", nextOffset: range.offset, isAtEnd: range.isEnded };
  }
  using _ = file;
  const { size } = await file.stat();
  const bytes = await readBytes(file, range.offset, Math.max(range.limit, MAX_CHARACTER_BYTES));
  const { text, length } = fitPage(bytes, range, range.offset + bytes.length >= size);
  const nextOffset = range.offset + length;
  return { text, nextOffset, isAtEnd: range.isEnded && nextOffset >= size };
}

async function readBytes(file: Deno.FsFile, offset: number, most: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(most);
  let length = 0;
  await file.seek(offset, Deno.SeekMode.Start);
  while (length < most) {
    const read = await file.read(bytes.subarray(length));
    if (read === null) break;
    length += read;
  }
  return bytes.subarray(0, length);
}

function fitPage(
  bytes: Uint8Array,
  { limit, isEnded }: LogRange,
  isLast: boolean,
): { readonly text: string; readonly length: number } {
  let most = Math.min(bytes.length, limit);
  for (;;) {
    // Bytes that belong to no character are all that a log may end with.
    const isWhole = isEnded && isLast && most === bytes.length;
    let length = isWhole ? most : characterStart(bytes, most);
    // A smaller limit than the first character has would lead nowhere.
    if (length === 0) length = firstCharacter(bytes, isEnded && isLast);
    const text = visibleOutput(bytes.subarray(0, length));
    if (utf8Length(JSON.stringify(text)) <= MAX_JSON_BYTES || most <= MAX_CHARACTER_BYTES) {
      return { text, length };
    }
    most = Math.floor(most * 0.8);
  }
}

function firstCharacter(bytes: Uint8Array, isComplete: boolean): number {
  for (let length = 1; length <= Math.min(bytes.length, MAX_CHARACTER_BYTES); length++) {
    if (characterStart(bytes.subarray(0, length), length) === length) return length;
  }
  return isComplete ? bytes.length : 0;
}
