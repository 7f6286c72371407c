import type { Application } from "../../core/application.ts";
import { visibleName } from "../../core/process/visible_text.ts";
import type { PromptTemplate } from "../../core/prompts/prompt_template.ts";
import { isUsable, type Skill, type SkillScope } from "../../core/skills/skill.ts";
import type { Stage } from "../stage.ts";
import type { SlashCommand } from "./slash_command.ts";

/** How often folders are looked at while a menu is open. */
const REFRESH_MS = 2_000;

const SCOPE_MARKS: Readonly<Record<SkillScope, string>> = {
  user: "[u]",
  project: "[p]",
  config: "[c]",
  plugin: "[l]",
};

/** The template that comes with the program and has a row of its own. */
export const INIT_COMMANDS: readonly SlashCommand[] = [{
  name: "init",
  argumentHint: "[focus]",
  description: "Have AGENTS.md written, or brought up to date",
  source: "builtin",
  duringRun: "wait",
  run: async (stage, focus) => void await sendExpanded(stage, `/init ${focus}`, []),
}];

/**
 * Prompt templates and skills as commands. They lie in folders, which are looked at beside what the
 * person does: a list that is asked for says what was there a moment ago.
 */
export class PromptCommands {
  readonly #stage: Stage;
  #application: Application | undefined;
  #rows: readonly SlashCommand[] = [];
  #lookedAt = -Infinity;
  #looking: Promise<void> | undefined;

  /** @param stage The conversation. */
  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** What was there when folders were looked at last; has them looked at again, soon. */
  list(): readonly SlashCommand[] {
    const { application } = this.#stage;
    const isOld = performance.now() - this.#lookedAt > REFRESH_MS;
    if (application !== this.#application || isOld) void this.refresh();
    return this.#rows;
  }

  /** Looks at the folders. Never rejects: what cannot be read is told by statistics. */
  refresh(): Promise<void> {
    this.#looking ??= this.#look(this.#stage.application).finally(() => this.#looking = undefined);
    return this.#looking;
  }

  async #look(application: Application): Promise<void> {
    this.#application = application;
    this.#lookedAt = performance.now();
    try {
      const [{ templates }, { skills }] = await Promise.all([
        application.listPromptTemplates(),
        application.listSkills(),
      ]);
      const { skillSlashCommands } = application.loaded.configuration.tui;
      this.#rows = [
        ...templates.map(templateCommand),
        ...skillSlashCommands ? skills.filter(isUsable).map(skillCommand) : [],
      ];
      this.#stage.redraw();
    } catch {
      // The same look is made, and its failure told, when one of them is used.
      this.#rows = [];
    }
  }
}

/**
 * Sends what a template or a skill makes of a line.
 *
 * @param stage The conversation.
 * @param line The line.
 * @param reserved Names of commands, which win over templates.
 * @returns Whether it names one.
 * @throws {AlisioError} `usage` if there is no such skill, or this run cannot do what it requires.
 */
export async function sendExpanded(
  stage: Stage,
  line: string,
  reserved: readonly string[],
): Promise<boolean> {
  const expanded = await stage.application.expandPrompt(line.trim(), reserved);
  if (expanded === null) return false;
  if (stage.isRunning()) {
    stage.say(
      `${
        line.trim().split(/\s/)[0]
      } has to wait for the end of the run; press Esc to stop it first`,
      "warning",
    );
  } else await stage.submit(expanded.text, expanded.display);
  return true;
}

function templateCommand(template: PromptTemplate): SlashCommand {
  const { name, description, argumentHint, plugin, path } = template;
  const owner = plugin ?? path;
  return {
    name,
    description: visibleName(description),
    ...argumentHint === undefined ? {} : { argumentHint: visibleName(argumentHint) },
    source: "prompt",
    ...owner === undefined ? {} : { owner },
    duringRun: "wait",
    run: async (stage, argument) => void await sendExpanded(stage, `/${name} ${argument}`, []),
  };
}

function skillCommand({ name, description, scope, locked, plugin, path }: Skill): SlashCommand {
  return {
    name: `skill:${name}`,
    argumentHint: "<request>",
    description: `${SCOPE_MARKS[scope]}${locked ? " locked" : ""} ${visibleName(description)}`,
    source: "skill",
    owner: plugin ?? path,
    duringRun: "wait",
    run: async (stage, request) => void await sendExpanded(stage, `/skill:${name} ${request}`, []),
  };
}
