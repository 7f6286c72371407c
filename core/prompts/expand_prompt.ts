import { quoted } from "../config/quoted.ts";
import { AlisioError, errorMessage } from "../errors.ts";
import type { SkillReader } from "../skills/skill_catalog.ts";
import { expandTemplate } from "./expand_template.ts";
import { parsePromptCommand } from "./prompt_command.ts";
import type { PromptRequirement, PromptTemplate } from "./prompt_template.ts";

/** A prompt whose text is not what the person typed. */
export interface ExpandedPrompt {
  /** What the model is sent. */
  readonly text: string;
  /** What the person typed, which is shown of it. */
  readonly display: string;
}

/** What a prompt is expanded with. */
export interface PromptExpansion {
  /** The templates that there are; asked for only where one may be named. */
  readonly templates: () => Promise<readonly PromptTemplate[]>;
  /** The skills; asked for only where one is named. */
  readonly skills: () => Promise<SkillReader>;
  /**
   * Why a run cannot do what a template requires, as the rest of a sentence; null where it can, or
   * where the person is asked call by call.
   */
  readonly missing: (requires: readonly PromptRequirement[]) => string | null;
}

/** So many skills are named to whoever named none. */
const MAX_NAMES = 5;

/**
 * Expands a prompt that names a skill or a template.
 *
 * @param prompt What the person typed.
 * @param expansion What it is expanded with.
 * @returns Null if it is sent as it is.
 * @throws {AlisioError} `usage` if no skill or one that there is not is named, or the run cannot do what the template
 * requires.
 */
export async function expandPrompt(
  prompt: string,
  expansion: PromptExpansion,
): Promise<ExpandedPrompt | null> {
  const command = parsePromptCommand(prompt);
  if (command === null) return null;
  const display = prompt.trim();
  if (command.kind === "skill") {
    return { text: await skillText(command.name, command.args, expansion), display };
  }
  const template = (await expansion.templates()).find(({ name }) => name === command.name);
  if (template === undefined) return null;
  const missing = expansion.missing(template.requires);
  if (missing !== null) {
    throw new AlisioError("usage", `Cannot run "/${template.name}": ${missing}`);
  }
  return { text: expandTemplate(template.body, command.args), display };
}

async function skillText(
  name: string,
  request: string,
  { skills }: PromptExpansion,
): Promise<string> {
  const reader = await skills();
  if (name === "") throw nameless(reader);
  try {
    const { skill, body, files } = await reader.load(name);
    const others = files.length === 0 ? [] : [
      "",
      `Its other files, which skill_resource reads: ${files.join(", ")}`,
    ];
    const task = request.trim() === "" ? "Do what this skill is for." : request.trim();
    return [
      `Follow the skill ${quoted(skill.name)} of the folder ${quoted(skill.folder, 1000)}:`,
      "",
      body,
      ...others,
      "",
      "The request:",
      "",
      task,
    ].join("\n");
  } catch (error) {
    throw new AlisioError("usage", errorMessage(error), { cause: error });
  }
}

function nameless(skills: Pick<SkillReader, "usable">): AlisioError {
  const names = skills.usable().map((skill) => skill.name);
  const some = names.slice(0, MAX_NAMES).map((each) => quoted(each)).join(", ");
  const known = names.length === 0
    ? "there is none here"
    : `there ${names.length === 1 ? "is" : "are"} ${some}` +
      (names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "");
  return new AlisioError(
    "usage",
    `Cannot use a skill: "/skill:" is followed by no name; write /skill:<name> <request>; ${known}`,
  );
}
