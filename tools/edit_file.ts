import { textResult, type ToolResult } from "@alisio/sdk";
import { applyEdit, type Edit, type EditOutcome } from "../core/files/apply_edit.ts";
import { MAX_EDITABLE_BYTES, readEditableFile } from "../core/files/editable_file.ts";
import { sha256Hex } from "../core/files/sha256.ts";
import { decodeText, detectTextForm, type TextForm } from "../core/files/text_encoding.ts";
import { quotePath } from "../core/paths/quote_path.ts";
import type { HostTool, HostToolContext } from "../core/tools/host_tool.ts";
import { changeResult } from "./_change_result.ts";
import { explainNoMatch } from "./_edit_hint.ts";
import { replaceRecorded } from "./_replace_recorded.ts";
import {
  answerFailures,
  displayPath,
  readExpectedHash,
  readStorableText,
  readText,
  ToolFailure,
} from "./_file_tools.ts";
import { EDIT_FILE } from "./tool_definitions.ts";

/**
 * Creates the tool that replaces one piece of a file. Every byte outside the change stays as it
 * is: line ends, byte-order mark, encoding and final newline included.
 */
export function createEditFileTool(): HostTool {
  return {
    ...EDIT_FILE,
    execute: (input, context) => answerFailures(() => editFile(input, context)),
  };
}

async function editFile(
  input: Record<string, unknown>,
  context: HostToolContext,
): Promise<ToolResult> {
  const { real } = context.path(readText(input, "path"));
  const path = displayPath(real, context.workspace);
  const failed = `Cannot edit file ${quotePath(path)}: `;
  const edit = readEdit(input, failed);
  const expectedHash = readExpectedHash(input);
  const before = await readEditableFile(real);
  if (before === null || expectedHash === null) throw new ToolFailure(failed + NOT_THERE);
  if (await sha256Hex(before) !== expectedHash) throw new ToolFailure(failed + CHANGED);
  const form = detectTextForm(before);
  if (form.kind === "binary") throw new ToolFailure(`${failed}it is binary (${form.type})`);
  const outcome = applyEdit(before, form, edit);
  if (outcome.kind !== "edited") {
    throw new ToolFailure(failed + explainRefusal(outcome, { before, form, edit }));
  }
  const { bytes } = outcome;
  if (bytes.length > MAX_EDITABLE_BYTES) {
    throw new ToolFailure(`${failed}it would have ${bytes.length} bytes, limit is 1 MiB`);
  }
  if (await sha256Hex(bytes) === expectedHash) {
    return textResult(JSON.stringify({ path, sha256: expectedHash }));
  }
  const { sha256 } = await replaceRecorded({ real, before, bytes, expectedHash }, context);
  const text = JSON.stringify({ path, sha256 });
  const change = { path, before: decodeText(before, form), after: decodeText(bytes, form) };
  return await changeResult(text, change);
}

const NOT_THERE =
  "it does not exist; pass the path of an existing file, or create it with write_file";
const CHANGED = "its content is not the one that expectedHash names; read it again, then repeat " +
  "the edit with the new sha256";

function readEdit(input: Record<string, unknown>, failed: string): Edit {
  const oldText = readStorableText(input, "oldText");
  const newText = readStorableText(input, "newText");
  if (oldText === "") {
    throw new ToolFailure(
      `${failed}oldText is empty; pass the text to replace, or write the whole file with write_file`,
    );
  }
  if (oldText === newText) {
    throw new ToolFailure(`${failed}oldText and newText are the same, so nothing would change`);
  }
  return { oldText, newText };
}

function explainRefusal(
  outcome: Exclude<EditOutcome, { kind: "edited" }>,
  facts: { readonly before: Uint8Array; readonly form: TextForm; readonly edit: Edit },
): string {
  switch (outcome.kind) {
    case "no_match": {
      const text = decodeText(facts.before, facts.form).replaceAll("\r\n", "\n");
      return `oldText does not occur; ${explainNoMatch(text, facts.edit.oldText)}`;
    }
    case "several_matches": {
      const lines = outcome.lines.join(", ") + (outcome.count > outcome.lines.length ? ", …" : "");
      return `oldText occurs ${outcome.count} times, at lines ${lines}; add surrounding lines ` +
        "until it occurs once";
    }
    case "not_ascii":
      return "it is not UTF-8 and its encoding is unknown, so only ASCII text of it can be " +
        "replaced by ASCII text; nothing was changed";
    case "inside_character":
      return "it is not UTF-8, and oldText starts right after a character of unknown encoding " +
        "that may include its first letter; start it earlier, at a space or line, or later";
  }
}
