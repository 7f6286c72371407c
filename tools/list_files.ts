import { textResult, type ToolResult } from "@alisio/sdk";
import { isReal } from "../core/paths/leads_to.ts";
import { utf8Length } from "../core/process/visible_text.ts";
import type { HostTool, HostToolContext } from "../core/tools/host_tool.ts";
import { jsonResult } from "./_json_result.ts";
import type { ProgramPorts } from "./_program_ports.ts";
import { RecordSplitter } from "./_record_splitter.ts";
import { printedPath, printedPlace, runRipgrep } from "./_ripgrep.ts";
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
  const page = new FilePage(
    { offset, limit: Math.min(limit, MAX_LISTED_FILES) },
    (name) => printedPlace(context, name).path,
  );
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
  const files = page.files.filter(({ path }) => isReal(path)).map(({ name }) => name);
  const leftOut = page.files.length - files.length;
  const isLate = run.outcome.endedBy === "timeout";
  const note = isLate
    ? "The time limit ended the listing; list a smaller folder"
    : leftOut > 0
    ? `${leftOut} files were left out: they or their folders moved meanwhile; list again`
    : run.complaint;
  return jsonResult({
    files,
    nextOffset: page.hasMore ? offset + page.files.length : null,
    truncated: page.hasMore || isLate || leftOut > 0,
    ...(note === "" ? {} : { note }),
  });
}

/** The part of a listing that was asked for. */
class FilePage {
  /** Each with the path by which it can be looked up. */
  readonly files: { readonly name: string; readonly path: string }[] = [];
  /** Whether the listing goes on behind this page. */
  hasMore = false;
  readonly #limit: number;
  readonly #pathOf: (printed: Uint8Array) => string;
  #toSkip: number;
  #bytes = 0;

  constructor(
    part: { readonly offset: number; readonly limit: number },
    pathOf: (printed: Uint8Array) => string,
  ) {
    this.#toSkip = part.offset;
    this.#limit = part.limit;
    this.#pathOf = pathOf;
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
    else this.files.push({ name, path: this.#pathOf(printed) });
  }
}

function folderOf(input: Record<string, unknown>): string {
  return typeof input["path"] === "string" && input["path"] !== "" ? input["path"] : ".";
}
