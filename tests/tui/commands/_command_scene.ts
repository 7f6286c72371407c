import type { ApplicationOptions } from "../../../core/application_options.ts";
import { createCommandTable } from "../../../tui/commands/command_table.ts";
import { runCommandLine } from "../../../tui/commands/run_command_line.ts";
import { createStandardTools, loadSchemaValidator } from "../../../tools/standard_tools.ts";
import { type ApplicationScene, withScene } from "../../support/application_scene.ts";
import { FakeStage } from "../../support/fake_stage.ts";

/** What a test of commands acts on. */
export interface CommandScene extends ApplicationScene {
  readonly stage: FakeStage;
  /** Types a line; settles when its command is done. */
  type(line: string): Promise<boolean>;
  /** What is shown, 80 and 40 columns wide, with a ruler between them. */
  screens(): Promise<string>;
}

/**
 * Opens an application with the standard tools and a person, in folders filled with files.
 *
 * @param options How it is opened, beside that; `files` fill its folders.
 * @param body Gets the stage.
 */
export async function withCommands(
  { files = {}, ...options }: Partial<ApplicationOptions> & {
    readonly files?: Readonly<Record<string, string>>;
  },
  body: (scene: CommandScene) => Promise<void>,
): Promise<void> {
  await withScene(files, async (scene) => {
    const application = await scene.open({
      tools: createStandardTools,
      loadValidator: loadSchemaValidator,
      approve: () => Promise.resolve("deny"),
      ...options,
    });
    const stage = new FakeStage(application, scene.env);
    const table = createCommandTable(stage);
    await body({
      ...scene,
      stage,
      type: (line) => runCommandLine(line, stage, table),
      screens: async () =>
        `${await stage.screen(80)}\n${"=".repeat(40)}\n${await stage.screen(40)}\n`,
    });
  });
}
