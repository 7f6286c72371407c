import assert from "node:assert/strict";
import type { RunEvent } from "@alisio/sdk";
import type { Application } from "../../../core/application.ts";
import type { TaskNotice } from "../../../core/tasks/task_notice.ts";
import { TaskWatch } from "../../../tui/tasks/task_watch.ts";
import { taskScene } from "../../core/tasks/_scene.ts";

Deno.test({
  name: "TaskWatch tells of a task that ended before anybody listened",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await taskScene(async ({ tasks, request, ended }) => {
      const { id } = await tasks.start(request("true"));
      await ended(id);
      const told = Promise.withResolvers<TaskNotice>();
      const application = { tasks: () => Promise.resolve(tasks) } as unknown as Application;
      const watch = new TaskWatch({
        application: () => application,
        idleSession: () => "s",
        send: (notice) => Promise.resolve(told.resolve(notice)),
      });
      try {
        watch.observe({
          schemaVersion: 1,
          runId: "r",
          sessionId: "s",
          seq: 1,
          timestamp: new Date().toISOString(),
          type: "tool_started",
          data: { id: "c", name: "bg_run", arguments: "{}", effect: "process" },
        } as unknown as RunEvent);
        assert.ok((await told.promise).prompt.includes(id));
      } finally {
        watch.close();
      }
    });
  },
});
