import { applyEdit } from "../../core/files/apply_edit.ts";
import { readEditableFile } from "../../core/files/editable_file.ts";
import { detectLineEndings } from "../../core/files/line_endings.ts";
import { decodeText, detectTextForm } from "../../core/files/text_encoding.ts";
import type { ApprovalQuestion } from "../../core/gate/approval.ts";
import type { CallPreview } from "../../core/gate/approval/approval_view.ts";
import { judgePath } from "../../core/paths/judge_path.ts";
import { resolve } from "../../core/paths/path.ts";
import { findExecutable } from "../../core/process/find_executable.ts";
import { parseArguments } from "../../core/tools/parse_arguments.ts";
import { createDiffPart } from "../../tools/unified_diff.ts";

/** Where a call would run. */
export interface PreviewPlace {
  /** Real path of the workspace. */
  readonly workspace: string;
  /** Real paths that tools may touch. */
  readonly roots: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What programs are put into; null where they have the person's rights. */
  readonly sandbox?: string | null;
}

type Input = Readonly<Record<string, unknown>>;

/** A change of a large file is shown as long as it is. */
const MAX_PATCH_BYTES = 16 * 1024 * 1024;

const PLAIN_WORD_REGEXP = /^[\w@%+=:,./-]+$/;

/**
 * Finds out what a call would do. Reads files, and never fails: what cannot be shown in a better
 * way is shown as the input that the tool gets.
 *
 * @param question The question about the call.
 * @param place Where it would run.
 */
export async function previewCall(
  question: Pick<ApprovalQuestion, "tool" | "arguments">,
  place: PreviewPlace,
): Promise<CallPreview> {
  const parsed = parseArguments(question.arguments);
  if (!parsed.ok) return { facts: [], body: question.arguments };
  const { input } = parsed;
  try {
    return await previewKnown(question.tool, input, place) ?? await previewFields(input, place);
  } catch {
    // A file that cannot be read, or a path that cannot be followed: the tool will say so.
    return { facts: [], body: fieldsOf(input) };
  }
}

async function previewKnown(
  tool: string,
  input: Input,
  place: PreviewPlace,
): Promise<CallPreview | null> {
  const { command, args, spec, code, path, content, oldText, newText, expectedHash } = input;
  if (tool === "shell" && typeof command === "string") {
    return {
      facts: [...placeFacts(place), ...others(input, ["command"])],
      body: command,
      form: "command",
    };
  }
  if (tool === "bg_run" && typeof command === "string") {
    return {
      facts: [
        ["runs", "in the background, after this call"],
        ...placeFacts(place),
        ...others(input, ["command"]),
      ],
      body: command,
      form: "command",
    };
  }
  if (tool === "run_process" && typeof command === "string") {
    const words = [command, ...Array.isArray(args) ? args.map(String) : []];
    return {
      facts: [
        ["program", await programOf(command, place)],
        ...placeFacts(place),
        ...others(input, ["command", "args"]),
      ],
      body: words.map(shellWord).join(" "),
      form: "command",
    };
  }
  if (tool === "plugin_install" && typeof spec === "string") {
    return {
      facts: [["means", "code that every later start loads, in all projects, with your rights"]],
      body: `alisio install ${shellWord(spec)} --yes`,
      form: "command",
    };
  }
  if (tool === "execute" && typeof code === "string") {
    return {
      facts: [
        ["runs", "JavaScript without any permission, which may call other tools"],
        ["its calls", "only what is permitted already; you are not asked about them"],
        ...others(input, ["code"]),
      ],
      body: code,
    };
  }
  if (typeof path !== "string") return null;
  const rest = (...shown: string[]) => others(input, ["path", "expectedHash", ...shown]);
  if (tool === "write_file" && typeof content === "string") {
    const before = expectedHash === null ? null : await readText(path, place);
    return await previewChange(path, { before, after: content }, rest("content"), place);
  }
  if (tool === "edit_file" && typeof oldText === "string" && typeof newText === "string") {
    const change = await editOf(path, { oldText, newText }, place);
    return change && await previewChange(path, change, rest("oldText", "newText"), place);
  }
  return null;
}

interface Change {
  /** Null for a new file. */
  readonly before: string | null;
  readonly after: string;
}

async function previewChange(
  path: string,
  change: Change,
  facts: CallPreview["facts"],
  place: PreviewPlace,
): Promise<CallPreview> {
  const { before, after } = change;
  const ends = [...before === null ? [] : [detectLineEndings(before)], detectLineEndings(after)];
  const part = await createDiffPart(
    { path, before: withoutReturns(before), after: withoutReturns(after) ?? "" },
    { maxBytes: MAX_PATCH_BYTES },
  );
  const patch = part.block.kind === "diff" ? part.block.patch ?? "" : "";
  // Two lines name the file, which is said above.
  const body = patch.split("\n").slice(2).join("\n").replace(/\n$/, "");
  return {
    facts: [
      ...await pathFacts(path, place),
      ["change", before === null ? "a new file" : "an existing file"],
      ...(ends.includes("crlf") || ends.includes("mixed")
        ? [["line ends", [...new Set(ends)].join(", then ")] as const]
        : []),
      ...facts,
    ],
    ...(body === "" ? { body: describeSame(before, after) } : { body, form: "change" }),
  };
}

/** What a comparison of lines does not show. */
function describeSame(before: string | null, after: string): string {
  if (before === null) return after === "" ? "(an empty file)" : after;
  return before === after ? "(nothing changes)" : "(only line ends change)";
}

function withoutReturns(text: string | null): string | null {
  return text === null ? null : text.replaceAll("\r\n", "\n");
}

/** What an edit makes of a file; null when it does not fit. */
async function editOf(
  path: string,
  edit: { readonly oldText: string; readonly newText: string },
  place: PreviewPlace,
): Promise<Change | null> {
  const { real } = await judgePath(path, place);
  const bytes = await readEditableFile(real);
  if (bytes === null || edit.oldText === "") return null;
  const form = detectTextForm(bytes);
  if (form.kind === "binary") return null;
  const outcome = applyEdit(bytes, form, edit);
  if (outcome.kind !== "edited") return null;
  return { before: decodeText(bytes, form), after: decodeText(outcome.bytes, form) };
}

async function readText(path: string, place: PreviewPlace): Promise<string | null> {
  const { real } = await judgePath(path, place);
  const bytes = await readEditableFile(real);
  if (bytes === null) return null;
  const form = detectTextForm(bytes);
  return form.kind === "binary"
    ? `(${form.type}, ${bytes.length} bytes)\n`
    : decodeText(bytes, form);
}

async function previewFields(input: Input, place: PreviewPlace): Promise<CallPreview> {
  const { path, url } = input;
  return {
    facts: [
      ...(typeof path === "string" ? await pathFacts(path, place) : []),
      ...(typeof url === "string" ? hostFacts(url) : []),
    ],
    body: fieldsOf(input),
  };
}

async function pathFacts(path: string, place: PreviewPlace): Promise<CallPreview["facts"]> {
  const { real } = await judgePath(path, place);
  // Where no link is on the way, it leads where it says.
  const isPlain = real === resolve(place.workspace, path);
  return [["path", path], ...(isPlain ? [] : [["leads to", real] as const])];
}

/** The host as it is looked up: letters of other scripts are spelled out in it. */
function hostFacts(url: string): CallPreview["facts"] {
  return URL.canParse(url) ? [["host", new URL(url).host]] : [];
}

function placeFacts({ workspace, sandbox }: PreviewPlace): CallPreview["facts"] {
  const isHeld = typeof sandbox === "string";
  return [["in", workspace], ...isHeld ? [["sandbox", sandbox] as const] : []];
}

async function programOf(command: string, place: PreviewPlace): Promise<string> {
  if (/[/\\]/.test(command)) return (await judgePath(command, place)).real;
  const { PATH: path, PATHEXT: pathExt } = place.env;
  return await findExecutable(command, { path, pathExt, exclude: [] }) ?? "not found in PATH";
}

function others(input: Input, shown: readonly string[]): CallPreview["facts"] {
  return Object.entries(input).filter(([name]) => !shown.includes(name)).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
}

/** Field by field; a text of several lines is set in, so that none of them looks like a field. */
function fieldsOf(input: Input): string {
  return Object.entries(input).map(([key, value]) => {
    const name = /^[\w$-]+$/.test(key) ? key : JSON.stringify(key);
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    return text.includes("\n")
      ? [`${name}:`, ...text.split("\n").map((line) => `  ${line}`)].join("\n")
      : `${name}: ${text}`;
  }).join("\n");
}

/** A word as a shell would need it, so that its bounds can be seen. */
function shellWord(word: string): string {
  return PLAIN_WORD_REGEXP.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
