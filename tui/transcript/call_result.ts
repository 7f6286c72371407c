import type { ToolResultPart } from "@alisio/sdk";
import { boundText } from "../../core/text/bound_text.ts";
import { resultText } from "../../core/tools/result_text.ts";
import { parseInput } from "./call_argument.ts";
import type { CallResult, ImageFacts } from "./entry.ts";
import { imageSize } from "./image_size.ts";

/** What is kept of a result's text, so that a long session stays small. */
const MAX_TEXT_CHARS = 16_000;
/** Blocks and images of a result that are shown. */
const MAX_BLOCKS = 8;
const MAX_IMAGES = 8;

const FILE_AND_SHELL_TOOLS: ReadonlySet<string> = new Set([
  "edit_file",
  "write_file",
  "run_process",
  "shell",
]);

/**
 * Whether the blocks of a tool are shown: those of file and shell tools say nothing that their rows
 * do not.
 *
 * @param name Name of the tool.
 */
export function hasOwnBlocks(name: string): boolean {
  return !FILE_AND_SHELL_TOOLS.has(name);
}

/**
 * What is shown of a result.
 *
 * @param name Name of the tool.
 * @param content The parts of the result.
 */
export function callResult(name: string, content: readonly ToolResultPart[]): CallResult {
  const text = resultText(content);
  const blocks = content.flatMap((part) => part.type === "ui" ? [part.block] : []);
  const isOwn = !hasOwnBlocks(name);
  const terminal = blocks.find((block) => block.kind === "terminal");
  const change = blocks.find((block) => block.kind === "diff");
  const beside = isOwn ? text : textBeside(content);
  const json = parseInput(text);
  const exitCode = json?.exitCode;
  const shown = isOwn && terminal?.kind === "terminal" && typeof terminal.output === "string"
    ? [terminal.output, json?.note].filter((each) => typeof each === "string" && each !== "")
      .join("\n")
    : readableText(name, beside, beside === text ? json : parseInput(beside));
  return {
    text: copied(boundText(shown, MAX_TEXT_CHARS).text),
    ...(typeof exitCode === "number" ? { exitCode } : {}),
    blocks: isOwn ? [] : blocks.slice(0, MAX_BLOCKS),
    images: content.flatMap((part) => part.type === "image" ? [imageFacts(part)] : [])
      .slice(0, MAX_IMAGES),
    ...(isOwn && change?.kind === "diff" && typeof change.patch === "string"
      ? { patch: change.patch }
      : {}),
  };
}

/**
 * What is shown of a result of which only the start is known.
 *
 * @param preview The start of its text.
 */
export function previewResult(preview: string): CallResult {
  const isChange = /^\{"path":/.test(preview) && /"sha256":/.test(preview);
  return { text: isChange ? "" : preview, blocks: [], images: [] };
}

/**
 * Facts about an image.
 *
 * @param image The image, base64 encoded.
 */
export function imageFacts(
  image: { readonly mimeType: string; readonly data: string },
): ImageFacts {
  const size = imageSize(image.data, image.mimeType);
  return size === undefined ? { mimeType: image.mimeType } : { mimeType: image.mimeType, size };
}

/**
 * The text that says something else than the blocks and images do. What stands right before one of
 * them says the same; where no text stands before a block, all of it does.
 */
function textBeside(content: readonly ToolResultPart[]): string {
  const isMarked = content.some((part, index) =>
    part.type === "text" && content[index + 1]?.type === "ui"
  );
  const hasBlocks = content.some(({ type }) => type === "ui");
  if (hasBlocks && !isMarked) return "";
  const texts = content.flatMap((part, index) => {
    const next = content[index + 1];
    if (part.type !== "text" || next?.type === "ui") return [];
    if (next?.type !== "image") return [part.text];
    const rest = part.text.replace(imageMark(imageFacts(next)), "").trim();
    return rest === "" ? [] : [rest];
  });
  return texts.join("\n");
}

/**
 * What stands for an image in a text: `[image: image/png 640x480]`.
 *
 * @param image Facts about it.
 */
export function imageMark({ mimeType, size }: ImageFacts): string {
  return `[image: ${mimeType}${size === undefined ? "" : ` ${size.width}x${size.height}`}]`;
}

/** The text of a built-in tool is JSON for the model; a person reads what it holds. */
function readableText(
  name: string,
  text: string,
  json: Readonly<Record<string, unknown>> | undefined,
): string {
  if (json === undefined) return text;
  if (name === "read_file" && typeof json.content === "string") return json.content;
  if (name === "list_files" && isTexts(json.files)) return json.files.join("\n");
  if (name === "search_text" && Array.isArray(json.matches)) {
    return json.matches.map(matchLine).join("\n");
  }
  if (name === "ask_user_question" && Array.isArray(json.answers)) {
    return json.answers.map(answerLine).join("\n");
  }
  if ((name === "edit_file" || name === "write_file") && "sha256" in json) return "";
  if (typeof json.stdout === "string" || typeof json.stderr === "string") {
    return [json.stdout, json.stderr, json.note]
      .filter((each) => typeof each === "string" && each !== "").join("\n");
  }
  if (typeof json.output === "string") return json.output;
  return JSON.stringify(json, null, 2);
}

function matchLine(match: unknown): string {
  if (typeof match !== "object" || match === null) return String(match);
  const { file, line, text }: Record<string, unknown> = { ...match };
  return `${file}${typeof line === "number" ? `:${line}` : ""}: ${text}`;
}

function answerLine(answer: unknown): string {
  if (typeof answer !== "object" || answer === null) return String(answer);
  const { header, skipped, selected }: Record<string, unknown> = { ...answer };
  return `${header}: ${skipped !== true && isTexts(selected) ? selected.join(", ") : "skipped"}`;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

/** A text of its own: what is cut out of a large text would keep all of that in memory. */
function copied(text: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text));
}
