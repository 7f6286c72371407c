import { sha256Hex } from "../files/sha256.ts";
import { isAbsolute, join } from "../paths/path.ts";
import { REDACTED } from "../redact.ts";
import type { JournalCall } from "./session_records.ts";

/** What the file of an interrupted write shows. */
export interface WriteFinding {
  /** `unknown`: the file is neither what it was before nor what the call was to make of it. */
  readonly status: "happened" | "did_not_happen" | "unknown";
  /** One sentence, without a final period. */
  readonly text: string;
}

interface WriteArguments {
  readonly path: string;
  /** SHA-256 of the file before the call; null when there was none. */
  readonly expectedHash: string | null;
  readonly content?: string;
  readonly edit?: { readonly oldText: string; readonly newText: string };
}

/** Larger files are not read. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** How many places are tried where an edit may have been made. */
const MAX_PLACES = 50;

const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Finds out whether an interrupted write happened, by the file itself: its SHA-256 against the one
 * that the call expected, and against what the call would have left.
 *
 * @param call A call with the arguments of `write_file` or `edit_file`.
 * @param workspace The folder that relative paths start from.
 * @returns Undefined when the call is not such a write.
 */
export async function inspectWrite(
  call: JournalCall,
  workspace: string,
): Promise<WriteFinding | undefined> {
  const args = parseArguments(call);
  if (args === undefined) return undefined;
  const name = JSON.stringify(args.path);
  const path = isAbsolute(args.path) ? args.path : join(workspace, args.path);
  const bytes = await readFile(path);
  if (bytes === "unreadable") {
    return { status: "unknown", text: `File ${name} cannot be checked: it cannot be read` };
  }
  const hash = bytes === "absent" ? null : await sha256Hex(bytes);
  if (hash === args.expectedHash?.toLowerCase() || (hash === null && args.expectedHash === null)) {
    return {
      status: "did_not_happen",
      text: `File ${name} is as it was: the write did not happen`,
    };
  }
  if (bytes !== "absent" && await isOutcome(bytes, hash, args)) {
    return {
      status: "happened",
      text: `File ${name} is as the call leaves it: the write happened`,
    };
  }
  if (call.arguments.includes(REDACTED)) {
    const text = `File ${name} has changed, but the record lacks the secrets to compare it with`;
    return { status: "unknown", text };
  }
  const what = bytes === "absent" ? "is gone" : "is something else";
  return { status: "unknown", text: `File ${name} ${what}: neither its old nor its new content` };
}

function parseArguments(call: JournalCall): WriteArguments | undefined {
  if (call.effect !== "write") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(call.arguments);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { path, expectedHash = null, content, oldText, newText } = value as Record<string, unknown>;
  if (typeof path !== "string") return undefined;
  if (expectedHash !== null && typeof expectedHash !== "string") return undefined;
  if (typeof content === "string") return { path, expectedHash, content };
  return typeof oldText === "string" && typeof newText === "string"
    ? { path, expectedHash, edit: { oldText, newText } }
    : undefined;
}

async function readFile(path: string): Promise<Uint8Array<ArrayBuffer> | "absent" | "unreadable"> {
  try {
    const { isFile, size } = await Deno.stat(path);
    return isFile && size <= MAX_FILE_BYTES ? await Deno.readFile(path) : "unreadable";
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? "absent" : "unreadable";
  }
}

/** A write keeps the line ends and the byte order mark of the file that it replaces. */
async function isOutcome(
  bytes: Uint8Array<ArrayBuffer>,
  hash: string | null,
  args: WriteArguments,
): Promise<boolean> {
  if (args.edit !== undefined) return await isEdited(bytes, args.expectedHash, args.edit);
  for (const content of lineEndForms(args.content ?? "")) {
    for (const text of [content, BYTE_ORDER_MARK + content]) {
      if (await sha256Hex(new TextEncoder().encode(text)) === hash) return true;
    }
  }
  return false;
}

/** Whether undoing the edit at one of the places of the new text gives the old file. */
async function isEdited(
  bytes: Uint8Array<ArrayBuffer>,
  expectedHash: string | null,
  edit: { readonly oldText: string; readonly newText: string },
): Promise<boolean> {
  const text = decode(bytes);
  if (text === undefined || edit.newText === "" || expectedHash === null) return false;
  const oldForms = lineEndForms(edit.oldText);
  for (const [form, newText] of lineEndForms(edit.newText).entries()) {
    const oldText = oldForms[form] ?? edit.oldText;
    let at = text.indexOf(newText);
    for (let place = 0; at >= 0 && place < MAX_PLACES; place++) {
      const before = text.slice(0, at) + oldText + text.slice(at + newText.length);
      if (await sha256Hex(new TextEncoder().encode(before)) === expectedHash.toLowerCase()) {
        return true;
      }
      at = text.indexOf(newText, at + 1);
    }
  }
  return false;
}

function lineEndForms(text: string): readonly string[] {
  const unix = text.replaceAll("\r\n", "\n");
  return [text, unix, unix.replaceAll("\n", "\r\n")];
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
