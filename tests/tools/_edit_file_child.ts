/**
 * For each line on standard input, `{ "hash", "oldText", "newText" }`, edits a file and prints
 * whether that was an error. Arguments: workspace, path.
 */
import { createEditFileTool } from "../../tools/edit_file.ts";
import { callFileTool } from "./_call_file_tool.ts";

const [workspace = "", path = ""] = Deno.args;
const tool = createEditFileTool();
const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream());
let pending = "";
for await (const chunk of lines) {
  pending += chunk;
  for (let end = pending.indexOf("\n"); end !== -1; end = pending.indexOf("\n")) {
    const { hash: expectedHash, oldText, newText } = JSON.parse(pending.slice(0, end));
    pending = pending.slice(end + 1);
    const input = { path, oldText, newText, expectedHash };
    const { isError } = await callFileTool(tool, input, { workspace });
    await Deno.stdout.write(new TextEncoder().encode(`${isError}\n`));
  }
}
