import { isInside } from "../../core/paths/is_inside.ts";
import { judgePath } from "../../core/paths/judge_path.ts";
import type { JudgedPath } from "../../core/paths/judged_path.ts";
import type { HostTool } from "../../core/tools/host_tool.ts";

/** Options of {@linkcode callFileTool}. */
export interface CallOptions {
  /** Real path of the workspace. */
  readonly workspace: string;
  /** More real paths that may be touched. */
  readonly roots?: readonly string[];
  /** Cancels the call. */
  readonly signal?: AbortSignal;
}

/** What a call answered. */
export interface CallAnswer {
  readonly isError: boolean;
  /** The text part. */
  readonly text: string;
  /** The block after the text, if there is one. */
  readonly block: Readonly<Record<string, unknown>> | null;
  /** The text as JSON; empty when it is an error. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** A call that the rule for paths refuses before the tool runs. */
export class OutsideError extends Error {
  override readonly name = "OutsideError";
}

/**
 * Calls a file tool with its paths judged first, as every caller does.
 *
 * @param tool The tool.
 * @param input Its input.
 * @param options Where it runs.
 * @throws {OutsideError} If a path lies outside; its message is the real path.
 */
export async function callFileTool(
  tool: HostTool,
  input: Record<string, unknown>,
  options: CallOptions,
): Promise<CallAnswer> {
  const { workspace, signal = new AbortController().signal } = options;
  const roots = [workspace, ...options.roots ?? []];
  const judged = new Map<string, JudgedPath>();
  for (const requested of tool.paths?.(input) ?? []) {
    const path = await judgePath(requested, { workspace, roots });
    if (!roots.some((root) => isInside(path.real, root))) throw new OutsideError(path.real);
    judged.set(requested, path);
  }
  const result = await tool.execute(input, {
    signal,
    workspace,
    roots,
    callId: "call-1",
    emit: () => {},
    path: (requested) => {
      const path = judged.get(requested);
      if (path === undefined) throw new TypeError(`Path was not declared: ${requested}`);
      return path;
    },
  });
  const [first, second, ...rest] = result.content;
  if (first?.type !== "text" || rest.length > 0) throw new TypeError("Text must be first");
  if (second !== undefined && second.type !== "ui") throw new TypeError("Only a block may follow");
  const isError = result.isError ?? false;
  const block = second === undefined ? null : { ...second.block };
  return { isError, text: first.text, block, json: isError ? {} : JSON.parse(first.text) };
}
