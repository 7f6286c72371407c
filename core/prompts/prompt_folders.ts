import { join } from "../paths/path.ts";
import type { PromptFolder } from "./find_templates.ts";

/** Where templates may come from. */
export interface PromptSources {
  /** The folder of the person's configuration. */
  readonly configHome: string;
  /** Real path of the workspace. */
  readonly workspace: string;
  /** Whether the project's own files may instruct the model. */
  readonly trusted: boolean;
  /** Folders that plugins brought. */
  readonly plugins: readonly { readonly plugin: string; readonly path: string }[];
}

/**
 * The folders of prompt templates. Pure.
 *
 * @param sources Where templates may come from.
 */
export function promptFolders(
  { configHome, workspace, trusted, plugins }: PromptSources,
): readonly PromptFolder[] {
  return [
    ...plugins.map(({ plugin, path }) => ({ path, plugin, source: "plugin" as const })),
    { path: join(configHome, "prompts"), source: "user" },
    ...(trusted
      ? [{
        path: join(workspace, ".alisio", "prompts"),
        source: "project" as const,
        within: workspace,
      }]
      : []),
  ];
}
