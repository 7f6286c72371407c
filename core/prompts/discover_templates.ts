import { quoted } from "../config/quoted.ts";
import type { YamlParser } from "../frontmatter/frontmatter.ts";
import { findTemplates, type PromptFolder } from "./find_templates.ts";
import { INIT_TEMPLATE } from "./init_template.ts";
import type {
  PromptDiagnostic,
  PromptSource,
  PromptTemplate,
  PromptTemplateListing,
} from "./prompt_template.ts";

/** What templates are discovered with. */
export interface TemplateDiscovery {
  /** Folders, in any order; those of plugins in the order of their registration. */
  readonly folders: readonly PromptFolder[];
  /** Reads YAML. */
  readonly parse: YamlParser;
  /** Whether a real path stays closed, whoever names it. */
  readonly isClosed?: (real: string) => boolean;
  /** Names of commands, which win over templates. */
  readonly reserved: ReadonlySet<string>;
}

/** The lowest first. */
const PRECEDENCE: readonly PromptSource[] = ["builtin", "plugin", "user", "project"];

/**
 * Finds and checks every template. A file that cannot be used becomes a diagnostic; never throws.
 *
 * @param discovery What they are discovered with.
 */
export async function discoverTemplates(
  { folders, parse, isClosed, reserved }: TemplateDiscovery,
): Promise<PromptTemplateListing> {
  const found = await Promise.all(
    inPrecedence(folders).map((folder) => findTemplates(folder, parse, isClosed)),
  );
  const chosen = new Map<string, PromptTemplate>([[INIT_TEMPLATE.name, INIT_TEMPLATE]]);
  const diagnostics = found.flatMap((each) => [...each.diagnostics]);
  for (const template of found.flatMap(({ templates }) => templates)) {
    const diagnostic = reserved.has(template.name)
      ? shadowed(template)
      : replaced(template, chosen.get(template.name));
    if (diagnostic !== null) diagnostics.push(diagnostic);
    const isLeftOut = diagnostic !== null && diagnostic.code !== "prompt_override";
    if (!isLeftOut) chosen.set(template.name, template);
  }
  return {
    templates: [...chosen.values()].sort((a, b) => a.name < b.name ? -1 : 1),
    diagnostics,
  };
}

/** Of two plugins the one whose id comes first in the alphabet is looked at first, and wins. */
function inPrecedence(folders: readonly PromptFolder[]): readonly PromptFolder[] {
  return folders.toSorted((a, b) => {
    const bySource = PRECEDENCE.indexOf(a.source) - PRECEDENCE.indexOf(b.source);
    if (bySource !== 0) return bySource;
    const [left = "", right = ""] = [a.plugin, b.plugin];
    return left < right ? -1 : left > right ? 1 : 0;
  });
}

function shadowed({ name, path = "" }: PromptTemplate): PromptDiagnostic {
  return {
    code: "prompt_shadowed",
    path,
    message: `the command "/${name}" has its name; rename the file to use it`,
  };
}

function replaced(
  { name, source, path = "" }: PromptTemplate,
  before: PromptTemplate | undefined,
): PromptDiagnostic | null {
  if (before === undefined) return null;
  const other = before.path === undefined ? "the one of Alisio" : quoted(before.path, 500);
  return before.source === source
    ? {
      code: "prompt_conflict",
      path,
      message: `"/${name}" is ${other} already, whose plugin comes first; this one is left out`,
    }
    : {
      code: "prompt_override",
      path,
      message: `it takes the place of ${other} as "/${name}"`,
    };
}
