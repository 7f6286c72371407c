import { foldersBetween } from "../context/project_root.ts";
import { join } from "../paths/path.ts";
import type { SkillScope } from "./skill.ts";

/** Where skills may come from. */
export interface SkillSources {
  /** The folder of the person's configuration. */
  readonly configHome: string;
  /** The person's home folder, if it is known. */
  readonly home?: string;
  /** Real path of the project. */
  readonly root: string;
  /** Real path of the directory that is worked in; it is `root` or below it. */
  readonly cwd: string;
  /** Whether the project's own files may instruct the model. */
  readonly trusted: boolean;
  /** Folders of the `skills` key. */
  readonly configured: readonly string[];
  /** Folders that plugins brought. */
  readonly plugins: readonly { readonly plugin: string; readonly path: string }[];
}

/** A folder that is looked through for skills. */
export interface SkillRoot {
  /** Absolute path. */
  readonly path: string;
  readonly scope: SkillScope;
  readonly plugin?: string;
  /** Real path of what its files may not lead out of. */
  readonly within?: string;
  /** Whether somebody named it, so that it should be there. */
  readonly isNamed: boolean;
}

/** Folders of a project, the first with precedence. */
const PROJECT_FOLDERS: readonly (readonly string[])[] = [
  [".agents", "skills"],
  [".alisio", "skills"],
  [".claude", "skills"],
];

/**
 * The folders that are looked through for skills, in order: a name belongs to the first that has
 * it. Pure.
 *
 * @param sources Where skills may come from.
 */
export function skillRoots(sources: SkillSources): readonly SkillRoot[] {
  const { configHome, home, configured, plugins } = sources;
  const user = [
    ...home === undefined ? [] : [join(home, ".agents", "skills")],
    userSkills(configHome),
  ];
  return [
    ...projectRoots(sources),
    ...configured.map((path) => ({ path, scope: "config" as const, isNamed: true })),
    ...user.map((path) => ({ path, scope: "user" as const, isNamed: false })),
    ...plugins.map(({ plugin, path }) => ({
      path,
      plugin,
      scope: "plugin" as const,
      isNamed: true,
    })),
  ];
}

/**
 * The folders of skills that a project may have, from the directory that is worked in upward.
 *
 * @param root Real path of the project.
 * @param cwd Real path of the directory that is worked in.
 */
export function projectSkillFolders(root: string, cwd: string): readonly string[] {
  return foldersBetween(root, cwd).toReversed()
    .flatMap((folder) => PROJECT_FOLDERS.map((names) => join(folder, ...names)));
}

function projectRoots({ root, cwd, trusted }: SkillSources): readonly SkillRoot[] {
  if (!trusted) return [];
  return projectSkillFolders(root, cwd).map((path) => ({
    path,
    scope: "project",
    within: root,
    isNamed: false,
  }));
}

function userSkills(configHome: string): string {
  return join(configHome, "skills");
}
