import type { ToolResult } from "@alisio/sdk";
import type { InstructionExplanation } from "../core/context/explain_instructions.ts";
import type { HostTool, HostToolContext } from "../core/tools/host_tool.ts";
import { displayPath, readText } from "./_file_tools.ts";
import { jsonResult } from "./_json_result.ts";
import { CONTEXT_EXPLAIN } from "./tool_definitions.ts";

/** What {@linkcode createContextExplainTool} needs. */
export interface ContextExplainPorts {
  /**
   * Says which instruction files apply to a real path, for the session that asks.
   *
   * @param real Real path of a file or folder, existing or not.
   * @param session The session, if there is one.
   */
  readonly explain: (real: string, session: string | undefined) => Promise<InstructionExplanation>;
}

/**
 * Creates `context_explain`: which instruction files apply to a path, without their text.
 *
 * @param ports Who knows.
 */
export function createContextExplainTool(ports: ContextExplainPorts): HostTool {
  return {
    ...CONTEXT_EXPLAIN,
    execute: (input, context) => explain(ports, input, context),
  };
}

async function explain(
  ports: ContextExplainPorts,
  input: Record<string, unknown>,
  context: HostToolContext,
): Promise<ToolResult> {
  const { real } = context.path(readText(input, "path"));
  const { files, notices } = await ports.explain(real, context.session);
  const { workspace } = context;
  return jsonResult({
    path: displayPath(real, workspace),
    files: files.map((file) => ({ ...file, path: displayPath(file.path, workspace) })),
    ...(notices.length === 0 ? {} : { notices }),
  });
}
