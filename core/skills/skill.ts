/** Where a skill comes from: the project, the `skills` key, the person's own folders, a plugin. */
export type SkillScope = "project" | "config" | "user" | "plugin";

/** Instructions for one kind of task, which a model loads when it has one. */
export interface Skill {
  /** How it is called. */
  readonly name: string;
  /** What it is for, and when to use it. */
  readonly description: string;
  /** Where it comes from. */
  readonly scope: SkillScope;
  /** Id of the plugin that brings it. */
  readonly plugin?: string;
  /** Real path of its folder. */
  readonly folder: string;
  /** Its file as it was found. */
  readonly path: string;
  /** Size of its file. */
  readonly bytes: number;
  /** About how many tokens its file has. */
  readonly tokens: number;
  /** Whether the person has it switched on. */
  readonly enabled: boolean;
  /** Whether it cannot be switched off by itself, because a plugin brings it. */
  readonly locked: boolean;
  /** The file that has its name already, and is used in its place. */
  readonly shadowedBy?: string;
}

/** What is wrong with the file of a skill. */
export interface SkillDiagnostic {
  /** The file or folder. */
  readonly path: string;
  /** Whether the skill is left out, or used all the same. */
  readonly severity: "error" | "warning";
  /** One sentence without a final period. */
  readonly message: string;
}

/** Every skill that was found, in the order in which names are given away. */
export interface SkillListing {
  /** Those that are switched off or shadowed among them. */
  readonly skills: readonly Skill[];
  /** What is wrong with files; never a reason to stop. */
  readonly diagnostics: readonly SkillDiagnostic[];
}

/**
 * Whether a model may use a skill.
 *
 * @param skill The skill.
 */
export function isUsable({ enabled, shadowedBy }: Skill): boolean {
  return enabled && shadowedBy === undefined;
}
