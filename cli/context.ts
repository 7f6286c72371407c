import { configHome, stateHome } from "../core/config/directories.ts";
import { loadConfiguration } from "../core/config/load_config.ts";
import { nearestName } from "../core/config/nearest_name.ts";
import {
  type AppliedInstructions,
  explainInstructions,
  type InstructionExplanation,
} from "../core/context/explain_instructions.ts";
import type { InstructionSources } from "../core/context/instruction_files.ts";
import { findProjectRoot } from "../core/context/project_root.ts";
import { AlisioError, errorMessage } from "../core/errors.ts";
import { judgePath } from "../core/paths/judge_path.ts";
import { resolve } from "../core/paths/path.ts";
import { visibleName } from "../core/process/visible_text.ts";
import { projectTrust } from "../core/trust/project_trust.ts";
import { resolveWorkspace } from "../core/workspace.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { jsonLine } from "./json_line.ts";

const FORM = "alisio context explain <path>";

/**
 * `alisio context explain`: shows which instruction files apply to a path, the closest last, and
 * whether a session in this directory is given them at its start. With `--json` it prints one line.
 *
 * @param context What the command was called with.
 * @returns The exit status.
 * @throws {AlisioError} If the command line is wrong, or the workspace or the configuration is not
 * usable.
 */
export async function runContext(context: CommandContext): Promise<number> {
  const requested = readPath(context.args);
  const sources = await readSources(context);
  const real = await realPath(requested, context.cwd, sources);
  const explanation = await explainInstructions(real, sources);
  if (context.flags.json) {
    const line = { schemaVersion: 1, type: "context", path: real, ...explanation };
    context.out(jsonLine(line));
  } else {
    print(context, real, explanation);
    if (!sources.trusted && explanation.files.some(({ scope }) => scope === "project")) {
      hint(
        context,
        'This project is not trusted; review it with "alisio trust add", or pass ' +
          '"--trust-project" once',
      );
    }
  }
  return EXIT_STATUS.completed;
}

function readPath([action, path, ...rest]: readonly string[]): string {
  if (action === undefined) {
    throw new AlisioError("usage", `Action is missing: write ${FORM}`);
  }
  if (action !== "explain") {
    const nearest = nearestName(action, ["explain"]);
    const advice = nearest === undefined ? `write ${FORM}` : `did you mean "${nearest}"?`;
    throw new AlisioError("usage", `Unknown action "${action.slice(0, 80)}": ${advice}`);
  }
  if (path === undefined) throw new AlisioError("usage", `Path is missing: write ${FORM}`);
  const [extra] = rest;
  if (extra === undefined) return path;
  throw new AlisioError("usage", `Unexpected argument "${extra.slice(0, 80)}": write ${FORM}`);
}

async function readSources(context: CommandContext): Promise<InstructionSources> {
  const { env, flags } = context;
  const home = configHome(env);
  const workspace = resolveWorkspace(context.cwd);
  const explicit = flags.config === undefined ? undefined : resolve(context.cwd, flags.config);
  const trust = await projectTrust({
    workspace,
    stateHome: stateHome(env),
    trustProjectFlag: flags.trustProject,
    ...(explicit === undefined ? {} : { explicitConfig: explicit }),
  });
  const trusted = trust.state === "trusted";
  const { configuration } = await loadConfiguration({
    configHome: home,
    workspace,
    trusted,
    env,
    ...(explicit === undefined ? {} : { explicitPath: explicit }),
  });
  const root = await findProjectRoot(workspace);
  return { configHome: home, root, cwd: workspace, trusted, ...configuration.context };
}

async function realPath(
  requested: string,
  cwd: string,
  sources: InstructionSources,
): Promise<string> {
  try {
    return (await judgePath(requested, { workspace: resolve(cwd), roots: [sources.root] })).real;
  } catch (error) {
    throw new AlisioError("usage", errorMessage(error), { cause: error });
  }
}

function print(
  context: CommandContext,
  real: string,
  { files, notices }: InstructionExplanation,
): void {
  if (files.length === 0) {
    hint(context, `No instruction file applies to ${visibleName(real)}`);
  } else {
    hint(context, `Instruction files for ${visibleName(real)}, the closest last:`);
  }
  const rows = files.map(columnsOf);
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  for (const row of rows) {
    context.out(`${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")}\n`);
  }
  for (const notice of notices) context.err(`${visibleName(notice)}\n`);
}

function hint(context: CommandContext, text: string): void {
  if (!context.flags.quiet) context.err(`${text}\n`);
}

function columnsOf({ path, kind, bytes, loaded, note }: AppliedInstructions): readonly string[] {
  const state = loaded ? "loaded" : "not loaded";
  const name = visibleName(path);
  return [kind, `${bytes} bytes`, state, note === undefined ? name : `${name} (${note})`];
}
