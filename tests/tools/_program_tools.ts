import assert from "node:assert/strict";
import type { ToolResult, UiBlock } from "@alisio/sdk";
import { childEnvironment } from "../../core/process/child_environment.ts";
import { findExecutable } from "../../core/process/find_executable.ts";
import { StreamRedactor } from "../../core/process/stream_redactor.ts";
import type { JudgedPath } from "../../core/paths/judged_path.ts";
import { judgePath } from "../../core/paths/judge_path.ts";
import type { HostTool } from "../../core/tools/host_tool.ts";
import type { CommandPorts } from "../../tools/_command_ports.ts";

/** Changes to how {@linkcode callTool} calls. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Real paths that are allowed beside the workspace. */
  readonly roots?: readonly string[];
  /** Sees what it reports while it runs. */
  readonly onProgress?: (data: unknown) => void;
}

/**
 * Ports that find programs for real.
 *
 * @param workspace Real path of the workspace, whose programs are never taken.
 * @param changes Ports that replace the usual ones.
 */
export function programPorts(
  workspace: string,
  changes: Partial<CommandPorts> = {},
): CommandPorts {
  const parent = Deno.env.toObject();
  return {
    findExecutable: (name) => findExecutable(name, { path: parent["PATH"], exclude: [workspace] }),
    environment: () => childEnvironment(parent),
    createRedactor: () => new StreamRedactor([]),
    ...changes,
  };
}

/**
 * Makes something by a shell command that this runtime cannot make itself.
 *
 * @param cwd Where.
 * @param script For `/bin/sh`.
 */
export async function shell(cwd: string, script: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("/bin/sh", { args: ["-c", script], cwd })
    .output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/**
 * Calls a tool as the gate would: paths judged first.
 *
 * @param tool The tool.
 * @param input Its input.
 * @param workspace Real path of the workspace.
 * @param options Changes.
 */
export async function callTool(
  tool: HostTool,
  input: Record<string, unknown>,
  workspace: string,
  options: CallOptions = {},
): Promise<ToolResult> {
  const roots = [workspace, ...options.roots ?? []];
  const judged = new Map<string, JudgedPath>();
  for (const path of tool.paths?.(input) ?? []) {
    judged.set(path, await judgePath(path, { workspace, roots }));
  }
  return await tool.execute(input, {
    signal: options.signal ?? new AbortController().signal,
    workspace,
    roots,
    callId: "call-1",
    emit: (data) => options.onProgress?.(data),
    path(requested) {
      const path = judged.get(requested);
      if (path === undefined) throw new TypeError(`Path ${requested} was not declared`);
      return path;
    },
  });
}

/**
 * The text of a result.
 *
 * @param result The result.
 */
export function textOf(result: ToolResult): string {
  const [first] = result.content;
  assert.ok(first?.type === "text");
  return first.text;
}

/**
 * The parsed text of a result that is no error.
 *
 * @param result The result.
 */
// deno-lint-ignore no-explicit-any -- the assertions of a test say what is in it
export function jsonOf(result: ToolResult): any {
  assert.notEqual(result.isError, true, textOf(result));
  return JSON.parse(textOf(result));
}

/**
 * The text of a result that has to be an error.
 *
 * @param result The result.
 */
export function errorOf(result: ToolResult): string {
  assert.equal(result.isError, true, textOf(result));
  return textOf(result);
}

/**
 * The one block of a result.
 *
 * @param result The result.
 */
export function blockOf(result: ToolResult): UiBlock {
  const second = result.content[1];
  assert.ok(result.content.length === 2 && second?.type === "ui");
  return second.block;
}
