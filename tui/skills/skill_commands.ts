import { visibleName } from "../../core/process/visible_text.ts";
import type { SlashCommand } from "../commands/slash_command.ts";

/** The catalog of skills. */
export const SKILL_COMMANDS: readonly SlashCommand[] = [{
  name: "skills",
  aliases: ["skill"],
  argumentHint: "[prefix]",
  description: "Look at skills, and switch them on and off in this project",
  source: "builtin",
  duringRun: "wait",
  complete: async (typed, { application }) => {
    const words = typed.toLowerCase();
    const { skills } = await application.listSkills();
    return skills.filter(({ name, description, shadowedBy }) =>
      shadowedBy === undefined &&
      (name.startsWith(words) || description.toLowerCase().includes(words))
    ).map(({ name, description }) => ({
      value: name,
      label: name,
      description: visibleName(description),
    }));
  },
  run: async (stage, prefix) => {
    await (await import("./skill_catalog.ts")).openSkillCatalog(stage, prefix);
  },
}];
