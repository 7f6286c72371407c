import { TASK_STATUSES } from "../core/tasks/background_task.ts";
import type { HostTool } from "../core/tools/host_tool.ts";
import { jsonResult } from "./_json_result.ts";
import { taskFacts } from "./_task_facts.ts";
import { answerAboutTasks, type TaskPorts } from "./_task_ports.ts";
import { BG_LIST } from "./tool_definitions.ts";

const DEFAULT_LIMIT = 20;

/**
 * Creates `bg_list`: the tasks of the session, the newest first.
 *
 * @param ports Where tasks are kept.
 */
export function createBgListTool(ports: TaskPorts): HostTool {
  return {
    ...BG_LIST,
    execute: ({ status: wanted, limit }, context) =>
      answerAboutTasks(ports, context, (tasks, session) => {
        const status = TASK_STATUSES.find((each) => each === wanted);
        const found = tasks.list(session, {
          ...(status === undefined ? {} : { status }),
          limit: typeof limit === "number" ? limit : DEFAULT_LIMIT,
        });
        tasks.markSeen(found);
        return jsonResult({ tasks: found.map(taskFacts) });
      }),
  };
}
