import { isMissing } from "../config/small_file.ts";
import type { YamlParser } from "../frontmatter/frontmatter.ts";
import { readTextFile } from "../frontmatter/read_text_file.ts";
import { join } from "../paths/path.ts";
import { parseTemplate, templateNameFlaw } from "./parse_template.ts";
import type { PromptDiagnostic, PromptSource, PromptTemplate } from "./prompt_template.ts";

/** A folder of templates. */
export interface PromptFolder {
  /** Absolute path. */
  readonly path: string;
  readonly source: PromptSource;
  readonly plugin?: string;
  /** Real path of what its files may not lead out of. */
  readonly within?: string;
}

/** Largest file of a template. */
export const MAX_TEMPLATE_BYTES = 65_536;

/** Files of one folder that are read. */
const MAX_FILES = 500;
const ENDING = ".md";

/**
 * Reads the templates of one folder: every `*.md` file directly in it. Never throws.
 *
 * @param folder The folder. Only one that a plugin named must be there.
 * @param parse Reads YAML.
 * @param isClosed Whether a real path stays closed, whoever names it.
 */
export async function findTemplates(
  folder: PromptFolder,
  parse: YamlParser,
  isClosed?: (real: string) => boolean,
): Promise<{
  readonly templates: readonly PromptTemplate[];
  readonly diagnostics: readonly PromptDiagnostic[];
}> {
  const listed = await listNames(folder);
  if ("diagnostic" in listed) return { templates: [], diagnostics: listed.diagnostic };
  const names = listed.names.slice(0, MAX_FILES);
  const left = listed.names.length - names.length;
  const read = await Promise.all(names.map(async (file) => {
    const path = join(folder.path, file);
    const name = file.slice(0, -ENDING.length);
    return { path, name, ...await readTemplate(folder, path, name, { parse, isClosed }) };
  }));
  return {
    templates: read.flatMap((each) => "template" in each ? [each.template] : []),
    diagnostics: [
      ...read.flatMap((each) => "template" in each ? [] : [invalid(each.path, each.flaws)]),
      ...left === 0 ? [] : [invalid(folder.path, [`only the first ${MAX_FILES} files were read`])],
    ],
  };
}

async function readTemplate(
  { source, plugin, within }: PromptFolder,
  path: string,
  name: string,
  { parse, isClosed }: {
    readonly parse: YamlParser;
    readonly isClosed: ((real: string) => boolean) | undefined;
  },
): Promise<{ readonly template: PromptTemplate } | { readonly flaws: readonly string[] }> {
  const nameFlaw = templateNameFlaw(name);
  if (nameFlaw !== null) return { flaws: [nameFlaw] };
  const file = await readTextFile(path, {
    maxBytes: MAX_TEMPLATE_BYTES,
    ...within === undefined ? {} : { within },
    ...isClosed === undefined ? {} : { isClosed },
  });
  if (file.status === "unusable") return { flaws: [file.reason] };
  const parsed = parseTemplate(file.text, parse);
  if ("flaws" in parsed) return parsed;
  return {
    template: {
      name,
      source,
      ...plugin === undefined ? {} : { plugin },
      path,
      ...parsed.template,
    },
  };
}

async function listNames(
  { path, source }: PromptFolder,
): Promise<
  { readonly names: readonly string[] } | { readonly diagnostic: readonly PromptDiagnostic[] }
> {
  try {
    const entries = await Array.fromAsync(Deno.readDir(path));
    return {
      names: entries.filter(({ name, isDirectory }) =>
        !isDirectory && name.endsWith(ENDING) && !name.startsWith(".")
      ).map(({ name }) => name).sort(),
    };
  } catch (error) {
    if (isMissing(error) && source !== "plugin") return { diagnostic: [] };
    return { diagnostic: [invalid(path, [reasonOf(error)])] };
  }
}

function invalid(path: string, flaws: readonly string[]): PromptDiagnostic {
  return { code: "prompt_invalid", path, message: flaws.join("; ") };
}

function reasonOf(error: unknown): string {
  if (isMissing(error)) return "it is not there";
  if (error instanceof Deno.errors.PermissionDenied) return "this user may not read it";
  if (error instanceof Deno.errors.NotCapable) return "this run may not read it";
  return error instanceof Error ? error.message : String(error);
}
