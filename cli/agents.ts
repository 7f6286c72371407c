import type { AgentDefinition } from "../core/agents/agent_definition.ts";
import {
  type AgentListing,
  CONFIG_SOURCE,
  discoverAgents,
  type GivenAgents,
} from "../core/agents/discover_agents.ts";
import { userHome } from "../core/config/directories.ts";
import { nearestName } from "../core/config/nearest_name.ts";
import { quoted } from "../core/config/quoted.ts";
import { findProjectRoot } from "../core/context/project_root.ts";
import { AlisioError } from "../core/errors.ts";
import { visibleLines, visibleName } from "../core/process/visible_text.ts";
import { previewText } from "../core/text/bound_text.ts";
import { loadYamlParser } from "../tools/standard_tools.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { jsonLine } from "./json_line.ts";
import { parseAgentsFlag } from "./parse_agents_flag.ts";
import { readProject } from "./read_project.ts";

const ACTIONS = ["list", "show"] as const;
/** The plugin that hands work to agents. */
const DELEGATING_PLUGIN = "subagents";
const FORMS = "alisio agents list | show <id>";
const MAX_DESCRIPTION_CHARS = 100;

/** What the command line asks for. */
type Request = { readonly action: "list" } | { readonly action: "show"; readonly id: string };

/**
 * `alisio agents`: `list` shows how agents are defined and what is wrong with any definition, `show`
 * one of them in full. Neither runs code of a plugin, so the agents of plugins are not among them.
 *
 * @param context What the command was called with.
 * @returns The exit status.
 * @throws {AlisioError} If the command line is wrong, there is no such agent, or the workspace or the
 * configuration is not usable.
 */
export async function runAgents(context: CommandContext): Promise<number> {
  const request = readArguments(context.args);
  const listing = await discover(context);
  if (request.action === "list") list(context, listing);
  else show(context, listing, request.id);
  return EXIT_STATUS.completed;
}

function readArguments([action, id, extra]: readonly string[]): Request {
  if (action === undefined) {
    throw new AlisioError("usage", `Action is missing: write ${FORMS}`);
  }
  const known = ACTIONS.find((each) => each === action);
  if (known === undefined) {
    const nearest = nearestName(action, ACTIONS);
    const advice = nearest === undefined ? `write ${FORMS}` : `did you mean "${nearest}"?`;
    throw new AlisioError("usage", `Unknown action ${quoted(action)}: ${advice}`);
  }
  const unexpected = known === "list" ? id : extra;
  if (unexpected !== undefined) {
    throw new AlisioError("usage", `Unexpected argument ${quoted(unexpected)}: write ${FORMS}`);
  }
  if (known === "list") return { action: known };
  if (id === undefined) throw new AlisioError("usage", `Id is missing: write ${FORMS}`);
  return { action: known, id };
}

async function discover(context: CommandContext): Promise<AgentListing> {
  const { env, flags } = context;
  const { workspace, home, trusted, loaded } = await readProject(context);
  const { XDG_CONFIG_HOME: xdgConfigHome = "" } = env;
  const person = userHome(env);
  const listing = await discoverAgents({
    configHome: home,
    ...(person === undefined ? {} : { home: person }),
    ...(xdgConfigHome === "" ? {} : { xdgConfigHome }),
    root: await findProjectRoot(workspace),
    cwd: workspace,
    trusted,
    plugins: [],
    loadParser: loadYamlParser,
    given: [
      ...givenByFlag(flags.agents),
      {
        source: CONFIG_SOURCE,
        origin: "config",
        agents: Object.fromEntries(
          Object.entries(loaded.configuration.builtinPlugins.subagents.agents)
            .map(([name, fields]) => [name, { ...fields }]),
        ),
      },
    ],
  });
  const isOff = flags.disablePlugin.includes(DELEGATING_PLUGIN) ||
    !loaded.configuration.builtinPlugins.subagents.enabled;
  return isOff ? listing : await withBuiltin(listing);
}

/** What work can be handed to without anybody having defined something; a definition hides it. */
async function withBuiltin(listing: AgentListing): Promise<AgentListing> {
  const { BUILTIN_AGENTS } = await import("../plugins/subagents/builtin_agents.ts");
  const winner = ({ id }: { readonly id: string }) =>
    listing.definitions.find((each) => each.id === id);
  const hidden = BUILTIN_AGENTS.filter((each) => winner(each) !== undefined);
  return {
    definitions: [
      ...listing.definitions,
      ...BUILTIN_AGENTS.filter((each) => !hidden.includes(each)),
    ],
    shadowed: [...listing.shadowed, ...hidden],
    diagnostics: [
      ...listing.diagnostics,
      ...hidden.map((each) => {
        const { path, origin } = winner(each) ?? each;
        const message = `Left out: "${each.id}" is defined by ${path ?? origin} already`;
        return { source: "builtin", severity: "warning" as const, message };
      }),
    ],
  };
}

function givenByFlag(agents: string | undefined): readonly GivenAgents[] {
  return agents === undefined
    ? []
    : [{ source: "--agents", origin: "flag", agents: parseAgentsFlag(agents) }];
}

function list(context: CommandContext, { definitions, diagnostics }: AgentListing): void {
  const { flags } = context;
  if (flags.json) {
    for (const definition of definitions) context.out(lineOf("agent", definition));
    for (const diagnostic of diagnostics) context.out(lineOf("agent_diagnostic", diagnostic));
    return;
  }
  if (definitions.length === 0 && !flags.quiet) {
    context.err("No agent is defined beside build and plan\n");
  }
  const rows = definitions.map((definition) => [
    visibleName(definition.id),
    definition.mode,
    sourceOf(definition),
    previewText(visibleName(definition.description), MAX_DESCRIPTION_CHARS),
  ]);
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  for (const row of rows) {
    context.out(`${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")}\n`);
  }
  sayDiagnostics(context, diagnostics);
}

function show(
  context: CommandContext,
  { definitions, diagnostics }: AgentListing,
  id: string,
): void {
  const definition = definitions.find((each) => each.id === id);
  if (definition === undefined) {
    const nearest = nearestName(id, definitions.map((each) => each.id));
    const advice = nearest === undefined ? "see alisio agents list" : `did you mean "${nearest}"?`;
    throw new AlisioError("usage", `Cannot show agent ${quoted(id, 80)}: there is none; ${advice}`);
  }
  const own = diagnostics.filter(({ source }) => source === definition.path);
  if (context.flags.json) {
    context.out(lineOf("agent", definition));
    for (const diagnostic of own) context.out(lineOf("agent_diagnostic", diagnostic));
    return;
  }
  const fields = fieldsOf(definition).filter(([, text]) => text !== "");
  const width = Math.max(...fields.map(([name]) => name.length));
  for (const [name, text] of fields) {
    context.out(`${name.padEnd(width)}  ${visibleName(text)}\n`);
  }
  if (definition.prompt !== "") context.out(`\n${visibleLines(definition.prompt)}\n`);
  sayDiagnostics(context, own);
}

function sayDiagnostics(context: CommandContext, diagnostics: AgentListing["diagnostics"]): void {
  if (context.flags.quiet) return;
  for (const { source, message } of diagnostics) {
    context.err(`${visibleName(source)}: ${visibleName(message)}\n`);
  }
}

function fieldsOf(definition: AgentDefinition): readonly (readonly [string, string])[] {
  const { permission, tools, disallowedTools, skills, maxTurns } = definition;
  return [
    ["id", definition.id],
    ["name", definition.displayName ?? ""],
    ["description", definition.description],
    ["source", sourceOf(definition)],
    ["mode", definition.mode],
    ["model", definition.model ?? ""],
    ["effort", definition.effort ?? ""],
    ["tools", tools === null ? "all that the run has" : tools.join(", ") || "none"],
    ["without", disallowedTools.join(", ")],
    ["write", permission.write ?? ""],
    ["process", permission.process ?? ""],
    ["only looks", definition.readOnly ? "yes" : ""],
    ["turns", maxTurns === undefined ? "" : String(maxTurns)],
    ["skills", skills.join(", ")],
    ["color", definition.color ?? ""],
    ["hidden", definition.hidden ? "yes" : ""],
    ["background", definition.background ? "yes" : ""],
  ];
}

function sourceOf({ path, origin }: AgentDefinition): string {
  return path === undefined ? origin : visibleName(path);
}

function lineOf(type: "agent" | "agent_diagnostic", data: unknown): string {
  return jsonLine({ schemaVersion: 1, type, data });
}
