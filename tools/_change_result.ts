import { textResult, type ToolResult } from "@alisio/sdk";
import { createDiffPart, type FileChange } from "./unified_diff.ts";

/**
 * The result of a change that has happened, with the change for the eye. Where that cannot be made,
 * the result tells of the change all the same: a change is never reported as a failure.
 *
 * @param text What the model is told.
 * @param change What changed.
 */
export async function changeResult(text: string, change: FileChange): Promise<ToolResult> {
  try {
    return { content: [{ type: "text", text }, await createDiffPart(change)] };
  } catch {
    return textResult(text);
  }
}
