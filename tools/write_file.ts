import { textResult, type ToolResult } from "@alisio/sdk";
import { MAX_EDITABLE_BYTES, readEditableFile } from "../core/files/editable_file.ts";
import { detectLineEndings } from "../core/files/line_endings.ts";
import { sha256Hex } from "../core/files/sha256.ts";
import {
  type BinaryForm,
  decodeText,
  detectTextForm,
  encodeText,
  type TextForm,
} from "../core/files/text_encoding.ts";
import { quotePath } from "../core/paths/quote_path.ts";
import type { HostTool, HostToolContext } from "../core/tools/host_tool.ts";
import { changeResult } from "./_change_result.ts";
import { replaceRecorded } from "./_replace_recorded.ts";
import {
  answerFailures,
  displayPath,
  readExpectedHash,
  readStorableText,
  readText,
  ToolFailure,
} from "./_file_tools.ts";
import { WRITE_FILE } from "./tool_definitions.ts";

/**
 * Creates the tool that writes a whole file. The content is stored exactly as given; only the
 * encoding of an existing file that starts with a byte-order mark is kept, mark included, and the
 * result says so.
 */
export function createWriteFileTool(): HostTool {
  return {
    ...WRITE_FILE,
    execute: (input, context) => answerFailures(() => writeFile(input, context)),
  };
}

async function writeFile(
  input: Record<string, unknown>,
  context: HostToolContext,
): Promise<ToolResult> {
  const { real, root } = context.path(readText(input, "path"));
  const path = displayPath(real, context.workspace);
  const content = readStorableText(input, "content");
  const expectedHash = readExpectedHash(input);
  const before = expectedHash === null ? null : await readEditableFile(real);
  const form = before === null ? null : detectTextForm(before);
  const { bytes, note } = encodeContent(content, before, form);
  if (bytes.length > MAX_EDITABLE_BYTES) {
    throw new ToolFailure(
      `Cannot write file ${quotePath(path)}: content is ${bytes.length} bytes, limit is 1 MiB; ` +
        "split it into several files",
    );
  }
  if (before === null) await assertRootExists(root, path);
  const isSame = before !== null && expectedHash === await sha256Hex(before) &&
    expectedHash === await sha256Hex(bytes);
  const { sha256 } = isSame
    ? { sha256: expectedHash }
    : await replaceRecorded({ real, before, bytes, expectedHash }, context);
  const text = JSON.stringify({ path, sha256, ...(note === "" ? {} : { note }) });
  if (isSame) return textResult(text);
  const change = { path, before: showBefore(before, form), after: withoutMark(content) };
  return await changeResult(text, change);
}

/** Missing folders are created, but not the one that tools work in: it was removed meanwhile. */
async function assertRootExists(root: string | null, path: string): Promise<void> {
  if (root === null) return;
  try {
    await Deno.lstat(root);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new ToolFailure(
      `Cannot create file ${quotePath(path)}: folder ${quotePath(root)} does not exist any more`,
    );
  }
}

interface Encoded {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly note: string;
}

function encodeContent(
  content: string,
  before: Uint8Array | null,
  form: TextForm | BinaryForm | null,
): Encoded {
  const plain = new TextEncoder().encode(content);
  if (before === null || form === null || form.kind === "binary") return { bytes: plain, note: "" };
  const notes: string[] = [];
  if (form.encoding === "unknown-8bit" && plain.length !== content.length) {
    notes.push("The file was not UTF-8 before and is UTF-8 now");
  }
  const old = detectLineEndings(decodeText(before, form));
  const given = detectLineEndings(content);
  if (old === "crlf" && given === "lf") {
    notes.push("Lines ended with CRLF before and end with LF now");
  }
  if (form.bomBytes === 0) return { bytes: plain, note: notes.join(". ") };
  const name = form.encoding === "unknown-8bit" ? "utf-8" : form.encoding;
  notes.unshift(`Kept the byte-order mark and stored as ${name.toUpperCase()}`);
  return { bytes: encodeText(withoutMark(content), form), note: notes.join(". ") };
}

function withoutMark(content: string): string {
  return content.startsWith("\ufeff") ? content.slice(1) : content;
}

function showBefore(
  before: Uint8Array | null,
  form: TextForm | BinaryForm | null,
): string | null {
  if (before === null || form === null) return null;
  return form.kind === "text" ? decodeText(before, form) : `(${form.type})\n`;
}
