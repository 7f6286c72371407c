import type { LoadedConfiguration } from "../config/load_config.ts";
import { nearestName } from "../config/nearest_name.ts";
import { quoted } from "../config/quoted.ts";
import { AlisioError } from "../errors.ts";
import {
  changeProjectConfig,
  type ChangeProjectConfigOptions,
} from "../trust/change_project_config.ts";
import { isObject } from "../config/is_object.ts";
import type { Skill } from "./skill.ts";

/** What {@linkcode switchSkill} goes by. */
export interface SwitchSkillOptions {
  /** The skills that there are. */
  readonly skills: readonly Skill[];
  /** The configuration as it was when the application was opened. */
  readonly loaded: Pick<LoadedConfiguration, "layers">;
  /** Whether `--config` takes the place of the configuration of the project. */
  readonly hasExplicitConfig: boolean;
  /** The project. */
  readonly project: ChangeProjectConfigOptions;
}

/**
 * Switches a skill on or off in the configuration of the project. Where the person's own
 * configuration says the same, the project says nothing.
 *
 * @param name The skill.
 * @param isEnabled What it is to be.
 * @param options What it goes by.
 * @returns What the person should know, if there is anything.
 * @throws {AlisioError} `usage` if there is no such skill, a plugin brings it, or the project is not
 * trusted; `config_*` if its configuration cannot be changed.
 */
export async function switchSkill(
  name: string,
  isEnabled: boolean,
  { skills, loaded, hasExplicitConfig, project }: SwitchSkillOptions,
): Promise<string | null> {
  const skill = skills.find((each) => each.name === name && each.shadowedBy === undefined);
  if (skill === undefined) {
    const nearest = nearestName(name, skills.map((each) => each.name));
    const advice = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
    throw new AlisioError("usage", `There is no skill ${quoted(name)}${advice}`);
  }
  if (skill.locked) {
    throw new AlisioError(
      "usage",
      `Cannot switch skill ${quoted(name)}: plugin ${
        quoted(skill.plugin ?? "")
      } brings it; switch ` +
        "the plugin",
    );
  }
  if (hasExplicitConfig) {
    throw new AlisioError(
      "usage",
      'Cannot switch a skill: "--config" takes the place of the configuration of the project',
    );
  }
  const own = loaded.layers.find(({ source }) => source.layer === "global")?.values;
  const isDefault = isOffIn(own, name) !== isEnabled;
  return await changeProjectConfig(
    [{ path: ["skillOverrides", name, "enabled"], value: isDefault ? undefined : isEnabled }],
    project,
  );
}

function isOffIn(values: Readonly<Record<string, unknown>> | undefined, name: string): boolean {
  const overrides = values?.["skillOverrides"];
  const entry = isObject(overrides)
    ? Object.entries(overrides).find(([each]) => each === name)?.[1]
    : undefined;
  return isObject(entry) && entry["enabled"] === false;
}
