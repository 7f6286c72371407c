import assert from "node:assert/strict";
import { runCommand } from "../../../core/process/run_command.ts";
import type { OpenSession } from "../../../core/run/open_session.ts";
import type { BackgroundTask } from "../../../core/tasks/background_task.ts";
import type { BackgroundTasks } from "../../../core/tasks/background_tasks.ts";
import { openTaskPanel } from "../../../tui/tasks/task_panel.ts";
import { withScene } from "../../support/application_scene.ts";
import { FakeStage } from "../../support/fake_stage.ts";
import { KEYS } from "../../support/panel_scene.ts";

interface PanelScene {
  readonly stage: FakeStage;
  readonly tasks: BackgroundTasks;
  /** Starts a line of shell. */
  start(command: string, label: string): Promise<BackgroundTask>;
}

function panelTest(name: string, fn: (scene: PanelScene) => Promise<void>): void {
  Deno.test({
    name,
    ignore: Deno.build.os === "windows",
    fn: () =>
      withScene({}, async ({ open }) => {
        const application = await open();
        const { store, workspace } = application;
        store.createSession({ id: "s", workspace, model: "m", provider: "p", createdAt: 1 });
        const stage = new FakeStage(application);
        stage.opened = { id: "s" } as OpenSession;
        const tasks = await application.tasks();
        const start = (command: string, label: string) =>
          tasks.start({
            sessionId: "s",
            command,
            label,
            spec: {
              program: "/bin/sh",
              args: ["-c", command],
              cwd: workspace,
              env: { PATH: "/usr/bin:/bin" },
            },
            run: runCommand,
          });
        await fn({ stage, tasks, start });
      }),
  });
}

panelTest("openTaskPanel() lists tasks, shows the output of one, and goes back", async (scene) => {
  const { stage, start } = scene;
  const first = await start("printf 'one\\033[2J\\n'; sleep 60", "the server");
  await start("exit 2", "the tests");
  const shown = openTaskPanel(stage);
  const list = await stage.shows("failed · exit 2");
  assert.match(list, /Background tasks[^]*the tests[^]*the server +running/);
  await stage.press(KEYS.end, KEYS.enter);
  const detail = await stage.shows("one\\x1b[2J");
  assert.match(detail, /the server[^]*Directory: [^]*Status: running · /);
  assert.match(detail, new RegExp(`process ${first.pid}`));
  await stage.press(KEYS.escape);
  await stage.shows("Background tasks");
  await stage.press("q");
  await shown;
  assert.equal(stage.hasPanel, false);
});

panelTest("openTaskPanel() stops a task when the person is sure, and shows that", async (scene) => {
  const { stage, tasks, start } = scene;
  const { id } = await start("sleep 60; true", "the server");
  const shown = openTaskPanel(stage);
  await stage.shows("the server");
  await stage.press("s");
  await stage.shows("Stop the server?");
  await stage.press("n");
  await stage.shows("Background tasks");
  assert.equal(tasks.find("s", id).status, "running");
  await stage.press(KEYS.enter);
  await stage.shows("Status: running");
  await stage.press("s");
  await stage.shows("Stop the server?");
  await stage.press("y");
  await stage.shows("stopped · by user");
  await stage.press("s");
  await stage.shows("stopped · by user");
  await stage.press("q");
  await shown;
});

panelTest("openTaskPanel() says that there is nothing", async ({ stage }) => {
  const shown = openTaskPanel(stage);
  await stage.shows("No background tasks in this session");
  await stage.press(KEYS.escape);
  await shown;
  stage.opened = undefined;
  await openTaskPanel(stage);
  assert.deepEqual(stage.log, ["info: There are no background tasks yet"]);
});
