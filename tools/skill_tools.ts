import type { ToolResult } from "@alisio/sdk";
import type { SkillReader } from "../core/skills/skill_catalog.ts";
import { searchSkills } from "../core/skills/search_skills.ts";
import { boundText } from "../core/text/bound_text.ts";
import type { HostTool } from "../core/tools/host_tool.ts";
import { readText } from "./_file_tools.ts";
import { jsonResult } from "./_json_result.ts";
import { SKILL_LOAD, SKILL_RESOURCE, SKILL_SEARCH } from "./tool_definitions.ts";

/** Characters of a text, so that the whole answer stays within what a result may have. */
const MAX_TEXT_CHARS = 36_000;

/** Skills that a search names. */
const MAX_FOUND = 30;

/**
 * Creates `skill_load`: the instructions of a skill, and what else is in its folder.
 *
 * @param skills The skills.
 */
export function createSkillLoadTool(skills: SkillReader): HostTool {
  return {
    ...SKILL_LOAD,
    execute: (input) =>
      answered(async () => {
        const { skill, body, files } = await skills.load(readText(input, "name"));
        const { name, folder } = skill;
        return { name, folder, ...cut(body), ...(files.length === 0 ? {} : { files }) };
      }),
  };
}

/**
 * Creates `skill_search`: names and descriptions of the skills that fit some words.
 *
 * @param skills The skills.
 */
export function createSkillSearchTool(skills: SkillReader): HostTool {
  return {
    ...SKILL_SEARCH,
    execute: (input) =>
      answered(() => {
        const found = searchSkills(skills.usable(), readText(input, "query"));
        const shown = found.slice(0, MAX_FOUND)
          .map(({ name, description }) => ({ name, description }));
        return Promise.resolve({
          skills: shown,
          ...(found.length > shown.length ? { more: found.length - shown.length } : {}),
        });
      }),
  };
}

/**
 * Creates `skill_resource`: a text file that comes with a skill.
 *
 * @param skills The skills.
 */
export function createSkillResourceTool(skills: SkillReader): HostTool {
  return {
    ...SKILL_RESOURCE,
    execute: (input) =>
      answered(async () => {
        const [name, path] = [readText(input, "name"), readText(input, "path")];
        return { name, path, ...cut(await skills.resource(name, path)) };
      }),
  };
}

function cut(text: string): { readonly content: string; readonly truncated?: true } {
  const { text: content, truncated } = boundText(text, MAX_TEXT_CHARS);
  return truncated ? { content, truncated } : { content };
}

/** What a skill lacks is for the model to know. */
async function answered(work: () => Promise<unknown>): Promise<ToolResult> {
  try {
    return jsonResult(await work());
  } catch (error) {
    if (error instanceof TypeError) return jsonResult({ error: error.message }, true);
    throw error;
  }
}
