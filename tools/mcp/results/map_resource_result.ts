import { textResult, type ToolResult } from "@alisio/sdk";
import { isObject } from "../../../core/config/is_object.ts";
import { addResource } from "./content_parts.ts";
import { nativeBlock } from "./native_block.ts";
import { parsedJson } from "./repeats_value.ts";
import { MAX_PARTS, ResultParts, type ResultPorts } from "./result_parts.ts";

/**
 * Maps what a server answered to a request for a resource, as results of tools are mapped.
 *
 * @param value What the server answered, of which nothing is known.
 * @param ports What stores bytes.
 */
export async function mapResourceResult(
  value: unknown,
  ports: ResultPorts = {},
): Promise<ToolResult> {
  const contents = isObject(value) ? value.contents : undefined;
  if (!Array.isArray(contents)) {
    return textResult("The server answered with something that is no resource", true);
  }
  const parts = new ResultParts(ports);
  const [only]: readonly unknown[] = contents;
  const text = contents.length === 1 && isObject(only) ? only.text : undefined;
  if (typeof text === "string") {
    parts.addText(text, /^\s*\{/.test(text) ? nativeBlock(parsedJson(text)) : undefined);
  } else {
    const isNamed = contents.length > 1;
    for (const each of contents.slice(0, MAX_PARTS)) await addResource(parts, each, { isNamed });
  }
  if (contents.length === 0) parts.addText("[no content]");
  if (contents.length > MAX_PARTS) parts.addText(`[${contents.length - MAX_PARTS} parts left out]`);
  return { content: await parts.finish() };
}
