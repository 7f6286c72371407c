import { textResult, type ToolResult } from "@alisio/sdk";
import { utf8Length } from "../core/process/visible_text.ts";
import type { HostTool, HostToolContext } from "../core/tools/host_tool.ts";
import { jsonResult } from "./_json_result.ts";
import type { ProgramPorts } from "./_program_ports.ts";
import { RecordSplitter } from "./_record_splitter.ts";
import { printedPath, runRipgrep } from "./_ripgrep.ts";
import { LIST_FILES, MAX_LISTED_FILES } from "./tool_definitions.ts";

const DEFAULT_LIMIT = 100;
/** Longest path on any system that Alisio runs on, with room to spare. */
const MAX_PATH_BYTES = 65_536;
/** Most bytes of names in one result, so that it fits whole into what a model is sent. */
const MAX_NAMES_BYTES = 40_000;

/**
 * Creates `list_files`: pages through the files below a folder, in the same order every time.
 *
 * @param ports Where ripgrep is.
 */
export function createListFilesTool(ports: ProgramPorts): HostTool {
  return {
    ...LIST_FILES,
    execute: (input, context) => listFiles(ports, input, context),
  };
}

async function listFiles(
  ports: ProgramPorts,
  input: Record<string, unknown>,
  context: HostToolContext,
): Promise<ToolResult> {
  const offset = typeof input["offset"] === "number" ? input["offset"] : 0;
  const limit = typeof input["limit"] === "number" ? input["limit"] : DEFAULT_LIMIT;
  const page = new FilePage(offset, Math.min(limit, MAX_LISTED_FILES));
  const names = new RecordSplitter(0, MAX_PATH_BYTES, (name) => page.add(name));
  const run = await runRipgrep(ports, context, {
    purpose: "list files",
    path: folderOf(input),
    args: ["--files", "--null", "--path-separator=/"],
    onOutput(bytes, stop) {
      names.write(bytes);
      if (page.hasMore) stop();
    },
  });
  if (run.kind === "failed") return textResult(run.message, true);
  if (run.complaint !== "" && page.files.length === 0 && !page.hasMore) {
    return textResult(`Cannot list files in "${folderOf(input)}": ${run.complaint}`, true);
  }
  const isLate = run.outcome.endedBy === "timeout";
  const note = isLate
    ? "The time limit ended the listing; list a smaller folder"
    : run.complaint === ""
    ? undefined
    : run.complaint;
  return jsonResult({
    files: page.files,
    nextOffset: page.hasMore ? offset + page.files.length : null,
    truncated: page.hasMore || isLate,
    ...(note === undefined ? {} : { note }),
  });
}

/** The part of a listing that was asked for. */
class FilePage {
  readonly files: string[] = [];
  /** Whether the listing goes on behind this page. */
  hasMore = false;
  readonly #limit: number;
  #toSkip: number;
  #bytes = 0;

  constructor(offset: number, limit: number) {
    this.#toSkip = offset;
    this.#limit = limit;
  }

  add(printed: Uint8Array): void {
    if (this.#toSkip > 0) {
      this.#toSkip--;
      return;
    }
    if (this.hasMore) return;
    const name = printedPath(printed);
    this.#bytes += utf8Length(JSON.stringify(name)) + 1;
    // One name always fits, so that every page makes progress.
    const isFull = this.files.length >= this.#limit ||
      (this.files.length > 0 && this.#bytes > MAX_NAMES_BYTES);
    if (isFull) this.hasMore = true;
    else this.files.push(name);
  }
}

function folderOf(input: Record<string, unknown>): string {
  return typeof input["path"] === "string" && input["path"] !== "" ? input["path"] : ".";
}
