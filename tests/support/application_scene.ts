import { type Application, createApplication } from "../../core/application.ts";
import type { ApplicationOptions } from "../../core/application_options.ts";
import { createSchemaValidator } from "../../tools/schema_validator.ts";
import { withTempDir, writeTree } from "./temp.ts";

/** Folders of an application: `config`, `state` and the workspace `ws`. */
export interface ApplicationScene {
  readonly folder: string;
  /** Variables that it is opened with. */
  readonly env: Readonly<Record<string, string>>;
  /** Opens an application; it is closed after the test. */
  open(options?: Partial<ApplicationOptions>): Promise<Application>;
}

/** Runs `body` with the folders of an application, filled with `files`. */
export async function withScene(
  files: Readonly<Record<string, string>>,
  body: (scene: ApplicationScene) => Promise<void>,
): Promise<void> {
  await withTempDir(async (folder) => {
    await Deno.mkdir(`${folder}/ws`);
    await writeTree(folder, files);
    const opened: Application[] = [];
    const env = {
      HOME: folder,
      PATH: Deno.env.get("PATH") ?? "",
      ALISIO_CONFIG_HOME: `${folder}/config`,
      ALISIO_STATE_HOME: `${folder}/state`,
    };
    try {
      await body({
        folder,
        env,
        async open(options = {}) {
          const application = await createApplication({
            cwd: `${folder}/ws`,
            env,
            tools: () => [],
            plugins: [],
            loadValidator: () => Promise.resolve(createSchemaValidator()),
            ...options,
          });
          opened.push(application);
          return application;
        },
      });
    } finally {
      for (const application of opened) await application.close();
    }
  });
}
