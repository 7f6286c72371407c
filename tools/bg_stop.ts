import type { HostTool } from "../core/tools/host_tool.ts";
import { jsonResult } from "./_json_result.ts";
import { taskFacts } from "./_task_facts.ts";
import { answerAboutTasks, type TaskPorts } from "./_task_ports.ts";
import { BG_STOP } from "./tool_definitions.ts";

/**
 * Creates `bg_stop`: ends a task with all that it started.
 *
 * @param ports Where tasks are kept.
 */
export function createBgStopTool(ports: TaskPorts): HostTool {
  return {
    ...BG_STOP,
    execute: ({ id }, context) =>
      answerAboutTasks(ports, context, async (tasks, session) => {
        const task = await tasks.stop(session, String(id), "model");
        tasks.markSeen([task]);
        return jsonResult(taskFacts(task));
      }),
  };
}
