import { readFrontmatter, type YamlParser } from "../frontmatter/frontmatter.ts";
import { type ReadBounds, readTextFile } from "../frontmatter/read_text_file.ts";
import { quoted } from "../config/quoted.ts";
import { dirname } from "../paths/path.ts";
import { folderName } from "./find_skill_files.ts";
import type { SkillDiagnostic } from "./skill.ts";

/** What a file says of its skill. */
export interface SkillFile {
  readonly name: string;
  readonly description: string;
  /** The instructions. */
  readonly body: string;
  readonly bytes: number;
  /** Real path of the file. */
  readonly real: string;
  /** Real path of its folder. */
  readonly folder: string;
}

/** Largest file of a skill. */
export const MAX_SKILL_BYTES = 524_288;

/** Longest description. */
export const MAX_DESCRIPTION_CHARS = 1_024;

const NAME_REGEXP = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME_CHARS = 64;

/**
 * Reads and checks the file of a skill. Never throws.
 *
 * @param path The file.
 * @param bounds Which files may be read.
 * @param parse Reads YAML.
 * @returns The skill, where it can be used, and everything that is wrong with the file.
 */
export async function readSkill(
  path: string,
  bounds: Omit<ReadBounds, "maxBytes">,
  parse: YamlParser,
): Promise<{ readonly skill: SkillFile | null; readonly diagnostics: readonly SkillDiagnostic[] }> {
  const file = await readTextFile(path, { ...bounds, maxBytes: MAX_SKILL_BYTES });
  if (file.status === "unusable") return refused(path, [file.reason]);
  const head = readFrontmatter(file.text, parse);
  if (head.status === "broken") return refused(path, [head.reason]);
  const name = nameOf(head.fields.name);
  const description = descriptionOf(head.fields.description);
  if ("flaw" in name || "flaw" in description) {
    return refused(path, [name, description].flatMap((each) => "flaw" in each ? [each.flaw] : []));
  }
  const warnings = [
    ...head.flaw === undefined ? [] : [head.flaw],
    ...name.value === folderName(path) ? [] : [
      `its name ${quoted(name.value)} is not the one of its folder, ${quoted(folderName(path))}`,
    ],
    ...head.body === "" ? ["it holds no instructions"] : [],
  ];
  return {
    skill: {
      name: name.value,
      description: description.value,
      body: head.body,
      bytes: file.bytes,
      real: file.real,
      folder: dirname(file.real),
    },
    diagnostics: warnings.map((message) => ({ path, severity: "warning", message })),
  };
}

type Checked = { readonly value: string } | { readonly flaw: string };

function nameOf(value: unknown): Checked {
  if (value === undefined || value === null) return { flaw: 'its field "name" is missing' };
  if (typeof value !== "string") return { flaw: 'its field "name" is not text' };
  if (value.length > MAX_NAME_CHARS) {
    return { flaw: `its name is ${value.length} characters long, the limit is ${MAX_NAME_CHARS}` };
  }
  return NAME_REGEXP.test(value) ? { value } : {
    flaw: `its name ${quoted(value)} is not made of lowercase letters, digits and single hyphens ` +
      "between them",
  };
}

function descriptionOf(value: unknown): Checked {
  if (value === undefined || value === null) return { flaw: 'its field "description" is missing' };
  if (typeof value !== "string") return { flaw: 'its field "description" is not text' };
  const text = value.trim();
  if (text === "") return { flaw: 'its field "description" is empty' };
  return text.length <= MAX_DESCRIPTION_CHARS ? { value: text } : {
    flaw: `its description is ${text.length} characters long, the limit is ` +
      `${MAX_DESCRIPTION_CHARS}`,
  };
}

function refused(
  path: string,
  messages: readonly string[],
): { readonly skill: null; readonly diagnostics: readonly SkillDiagnostic[] } {
  return {
    skill: null,
    diagnostics: messages.map((message) => ({ path, severity: "error", message })),
  };
}
