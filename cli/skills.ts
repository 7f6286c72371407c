import { userHome } from "../core/config/directories.ts";
import { nearestName } from "../core/config/nearest_name.ts";
import { quoted } from "../core/config/quoted.ts";
import { findProjectRoot } from "../core/context/project_root.ts";
import { AlisioError } from "../core/errors.ts";
import { basename, dirname, relative, resolve } from "../core/paths/path.ts";
import { quotePath } from "../core/paths/quote_path.ts";
import { visibleName } from "../core/process/visible_text.ts";
import { discoverSkills } from "../core/skills/discover_skills.ts";
import { SKILL_FILE } from "../core/skills/find_skill_files.ts";
import type { Skill, SkillListing } from "../core/skills/skill.ts";
import { type SkillRoot, skillRoots } from "../core/skills/skill_roots.ts";
import { previewText } from "../core/text/bound_text.ts";
import { resolveWorkspace } from "../core/workspace.ts";
import { loadYamlParser } from "../tools/standard_tools.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { jsonLine } from "./json_line.ts";
import { readProject } from "./read_project.ts";

const ACTIONS = ["list", "validate"] as const;
const FORMS = "alisio skills list [path] | validate [path]";
const MAX_DESCRIPTION_CHARS = 100;

/**
 * `alisio skills`: `list` shows the skills that there are, `validate` what is wrong with their files.
 * Neither runs code of a plugin, so the skills of plugins are not among them.
 *
 * @param context What the command was called with.
 * @returns The exit status: 1 if `validate` found anything.
 * @throws {AlisioError} If the command line is wrong, or the workspace or the configuration is not
 * usable.
 */
export async function runSkills(context: CommandContext): Promise<number> {
  const { action, path } = readArguments(context.args);
  const { discovery, workspace } = await readSources(context, path);
  const listing = await discoverSkills({ ...discovery, parse: await loadYamlParser() });
  if (action === "list") list(context, listing);
  sayDiagnostics(context, listing, workspace);
  if (action === "list") return EXIT_STATUS.completed;
  const { skills, diagnostics } = listing;
  if (diagnostics.length > 0) return EXIT_STATUS.failed;
  if (!context.flags.json) {
    context.out(
      skills.length === 0
        ? "No skill was found\n"
        : `${skills.length} ${skills.length === 1 ? "skill" : "skills"}, nothing wrong\n`,
    );
  }
  return EXIT_STATUS.completed;
}

function readArguments(
  [action, path, extra]: readonly string[],
): { readonly action: typeof ACTIONS[number]; readonly path?: string } {
  if (action === undefined) {
    throw new AlisioError("usage", `Action is missing: write ${FORMS}`);
  }
  const known = ACTIONS.find((each) => each === action);
  if (known === undefined) {
    const nearest = nearestName(action, ACTIONS);
    const advice = nearest === undefined ? `write ${FORMS}` : `did you mean "${nearest}"?`;
    throw new AlisioError("usage", `Unknown action ${quoted(action)}: ${advice}`);
  }
  if (extra !== undefined) {
    throw new AlisioError("usage", `Unexpected argument ${quoted(extra)}: write ${FORMS}`);
  }
  return path === undefined ? { action: known } : { action: known, path };
}

/** Where skills are looked for: as a session of this directory does, or in a folder that is named. */
async function readSources(
  context: CommandContext,
  path: string | undefined,
): Promise<{
  readonly workspace: string;
  readonly discovery: {
    readonly roots: readonly SkillRoot[];
    readonly isDisabled: (name: string) => boolean;
  };
}> {
  const { env, cwd } = context;
  const workspace = resolveWorkspace(cwd);
  if (path !== undefined) {
    const named = resolve(cwd, path);
    const folder = basename(named) === SKILL_FILE ? dirname(named) : named;
    const roots = [{ path: folder, scope: "config" as const, isNamed: true }];
    return { workspace, discovery: { roots, isDisabled: () => false } };
  }
  const { home, trusted, loaded: { configuration } } = await readProject(context);
  const person = userHome(env);
  const roots = skillRoots({
    configHome: home,
    ...(person === undefined ? {} : { home: person }),
    root: await findProjectRoot(workspace),
    cwd: workspace,
    trusted,
    configured: configuration.skills,
    plugins: [],
  });
  const disabled = Object.entries(configuration.skillOverrides)
    .flatMap(([name, { enabled }]) => enabled === false ? [name] : []);
  return { workspace, discovery: { roots, isDisabled: (name) => disabled.includes(name) } };
}

function list(context: CommandContext, { skills }: SkillListing): void {
  if (context.flags.json) {
    for (const skill of skills) {
      context.out(jsonLine({ schemaVersion: 1, type: "skill", data: skill }));
    }
    return;
  }
  if (skills.length === 0 && !context.flags.quiet) context.err("No skill was found\n");
  const rows = skills.map((skill) => [
    skill.name,
    skill.scope,
    `~${skill.tokens} tokens`,
    `${stateOf(skill)}${previewText(visibleName(skill.description), MAX_DESCRIPTION_CHARS)}`,
  ]);
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  for (const row of rows) {
    context.out(`${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")}\n`);
  }
}

function stateOf({ enabled, shadowedBy }: Skill): string {
  if (shadowedBy !== undefined) return `(shadowed by ${quotePath(shadowedBy)}) `;
  return enabled ? "" : "(switched off) ";
}

/** `validate` answers with them; beside a list they are remarks. */
function sayDiagnostics(
  context: CommandContext,
  { diagnostics }: SkillListing,
  workspace: string,
): void {
  const { flags } = context;
  for (const diagnostic of diagnostics) {
    if (flags.json) {
      context.out(jsonLine({ schemaVersion: 1, type: "skill_diagnostic", data: diagnostic }));
      continue;
    }
    const below = relative(workspace, diagnostic.path);
    const path = below === "" || below.startsWith("..") ? diagnostic.path : below;
    const line = visibleName(`${quotePath(path)}: ${diagnostic.message}`);
    const isAnswer = context.args[0] === "validate";
    if (isAnswer) context.out(`${line}\n`);
    else if (!flags.quiet) context.err(`${line}\n`);
  }
}
