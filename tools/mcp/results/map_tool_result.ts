import { textResult, type ToolResult, type UiBlock } from "@alisio/sdk";
import { isObject } from "../../../core/config/is_object.ts";
import { addPart } from "./content_parts.ts";
import { nativeBlock } from "./native_block.ts";
import { onlyResult, parsedJson, repeatsValue } from "./repeats_value.ts";
import { MAX_PARTS, ResultParts, type ResultPorts } from "./result_parts.ts";

/**
 * Maps what a server answered to a call. Texts stay texts, images become images, and JSON of a
 * verified form becomes a block for people. Everything has a text, which is all that a model is
 * sent; base64 data is never in it.
 *
 * @param value What the server answered, of which nothing is known.
 * @param ports What stores bytes.
 * @returns Bounded. What is no result at all becomes an error that the model reads.
 */
export async function mapToolResult(value: unknown, ports: ResultPorts = {}): Promise<ToolResult> {
  const { content, structuredContent, isError }: Readonly<Record<string, unknown>> = isObject(value)
    ? value
    : {};
  if (!Array.isArray(content) && structuredContent === undefined) {
    return textResult("The server answered with something that is no result of a tool", true);
  }
  const given: readonly unknown[] = Array.isArray(content) ? content : [];
  const parts = new ResultParts(ports);
  const texts = given.flatMap((part) => isText(part) ? [part.text] : []);
  const isRepeated = structuredContent !== undefined && repeatsValue(texts, structuredContent);
  const block = isError === true ? undefined : blockOf(texts, structuredContent, isRepeated);
  const isTextShown = structuredContent === undefined || isRepeated;
  // The block stands behind the last of the texts that say the same.
  let textsLeft = texts.length;
  for (const part of given.slice(0, MAX_PARTS)) {
    if (!isText(part)) await addPart(parts, part);
    else {
      textsLeft -= 1;
      parts.addText(part.text, isTextShown && textsLeft === 0 ? block : undefined);
    }
  }
  if (given.length > MAX_PARTS) parts.addText(`[${given.length - MAX_PARTS} parts left out]`);
  if (!isTextShown) parts.addText(jsonText(structuredContent), block);
  else if (given.length === 0) parts.addText("[no content]");
  return { content: await parts.finish(), ...(isError === true ? { isError } : {}) };
}

/** A text that is wrapped for transport only is no name with a value. */
function blockOf(
  texts: readonly string[],
  structured: unknown,
  isRepeated: boolean,
): UiBlock | undefined {
  if (structured !== undefined) {
    return isRepeated && typeof onlyResult(structured) === "string"
      ? undefined
      : nativeBlock(structured);
  }
  const [text = ""] = texts;
  if (texts.length !== 1 || !/^\s*\{/.test(text)) return undefined;
  return nativeBlock(parsedJson(text));
}

function isText(part: unknown): part is { readonly type: "text"; readonly text: string } {
  return isObject(part) && part.type === "text" && typeof part.text === "string";
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "[no content]";
  } catch {
    return "[a value that is nested too deeply to be shown]";
  }
}
