/** Writes 1 MiB into a new file and prints the answer. Argument: workspace. */
import { createWriteFileTool } from "../../tools/write_file.ts";
import { callFileTool } from "./_call_file_tool.ts";

const [workspace = ""] = Deno.args;
const input = { path: "a", content: "x".repeat(1_048_576), expectedHash: null };
const answer = await callFileTool(createWriteFileTool(), input, { workspace });
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(answer)));
