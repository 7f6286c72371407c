import type { HostTool } from "../core/tools/host_tool.ts";
import { jsonResult } from "./_json_result.ts";
import { endFacts } from "./_task_facts.ts";
import { answerAboutTasks, type TaskPorts } from "./_task_ports.ts";
import { BG_OUTPUT, DEFAULT_TASK_OUTPUT_BYTES } from "./tool_definitions.ts";

/**
 * Creates `bg_output`: a part of what a task printed.
 *
 * @param ports Where tasks are kept.
 */
export function createBgOutputTool(ports: TaskPorts): HostTool {
  return {
    ...BG_OUTPUT,
    execute: ({ id, offset, limit }, context) =>
      answerAboutTasks(ports, context, async (tasks, session) => {
        const { task, text, nextOffset, isAtEnd } = await tasks.read(session, String(id), {
          offset: typeof offset === "number" ? offset : 0,
          limit: typeof limit === "number" ? limit : DEFAULT_TASK_OUTPUT_BYTES,
        });
        tasks.markSeen([task]);
        return jsonResult({
          id: task.id,
          status: task.status,
          ...endFacts(task),
          text,
          next_offset: nextOffset,
          eof: isAtEnd,
          ...(task.isTruncated ? { output_truncated: true } : {}),
        });
      }),
  };
}
