import { stateHome, userHome } from "../core/config/directories.ts";
import { nearestName } from "../core/config/nearest_name.ts";
import { quoted } from "../core/config/quoted.ts";
import { AlisioError } from "../core/errors.ts";
import { resolve } from "../core/paths/path.ts";
import { visibleName } from "../core/process/visible_text.ts";
import { inspectProject, type ProjectInspection } from "../core/trust/inspect_project.ts";
import { judge } from "../core/trust/project_trust.ts";
import { compareDigests, findTrustResources } from "../core/trust/trust_resources.ts";
import {
  readTrustStore,
  type TrustDecision,
  type TrustDecisions,
  unusableStore,
  writeTrustDecision,
} from "../core/trust/trust_store.ts";
import { resolveWorkspace } from "../core/workspace.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { jsonLine } from "./json_line.ts";

const ACTIONS = ["list", "add", "revoke"] as const;
const FORMS = "alisio trust list | add [path] | revoke <path>";

/** More files than this are counted, not listed. */
const MAX_LISTED = 200;

/**
 * `alisio trust`: shows and changes which projects are trusted.
 *
 * @param context What the command was called with.
 * @returns The exit status.
 * @throws {AlisioError} If the command line is wrong, or the store or the project cannot be used.
 */
export async function runTrust(context: CommandContext): Promise<number> {
  const [action, path, extra] = context.args;
  if (action === undefined || !isAction(action)) throw unknownAction(action);
  const unexpected = action === "list" ? path : extra;
  if (unexpected !== undefined) {
    throw new AlisioError("usage", `Unexpected argument ${quoted(unexpected)}: write ${FORMS}`);
  }
  switch (action) {
    case "list":
      return await listProjects(context);
    case "add":
      return await addProject(context, path ?? ".");
    case "revoke":
      if (path === undefined) {
        throw new AlisioError("usage", "Path is missing: write alisio trust revoke <path>");
      }
      return await revokeProject(context, path);
  }
}

async function listProjects(context: CommandContext): Promise<number> {
  const decisions = await readDecisions(context);
  for (const [path, decision] of Object.entries(decisions)) {
    const state = await stateOf(path, decision);
    const decidedAt = new Date(decision.decidedAt).toISOString();
    if (context.flags.json) {
      const line = { schemaVersion: 1, type: "trust", path, state, decidedAt };
      context.out(jsonLine({ ...line, decision: decision.decision }));
    } else {
      context.out(`${state.padEnd(8)} ${decidedAt.slice(0, 10)} ${quoted(path, 1000)}\n`);
    }
  }
  if (Object.keys(decisions).length === 0 && !context.flags.quiet) {
    context.err("No decisions yet; review and trust a project with: alisio trust add [path]\n");
  }
  return EXIT_STATUS.completed;
}

async function addProject(context: CommandContext, path: string): Promise<number> {
  if (context.flags.readOnly) {
    throw new AlisioError("usage", 'Cannot remember a decision: "--read-only" was given');
  }
  const workspace = resolveWorkspace(resolve(context.cwd, path), path === "." ? undefined : "");
  const decisions = await readDecisions(context);
  const before = Object.hasOwn(decisions, workspace) ? decisions[workspace] : undefined;
  const inspection = await inspectProject(workspace, userHome(context.env));
  if (context.flags.json) {
    const { resources, declared } = inspection;
    const line = { schemaVersion: 1, type: "trust", path: workspace, state: "trusted" };
    await rememberTrust(context, inspection, "trusted");
    context.out(jsonLine({ ...line, resources, declared, files: Object.keys(inspection.digests) }));
    return EXIT_STATUS.completed;
  }
  for (const line of describeProject(inspection, before)) context.out(`${visibleName(line)}\n`);
  await rememberTrust(context, inspection, "trusted");
  context.out(`Trusted ${quoted(workspace, 1000)}; a change to its configuration ends this\n`);
  return EXIT_STATUS.completed;
}

async function revokeProject(context: CommandContext, path: string): Promise<number> {
  const absolute = resolve(context.cwd, path);
  // A folder that is gone can still be forgotten.
  const real = await Deno.realPath(absolute).catch(() => absolute);
  const home = stateHome(context.env);
  for (const candidate of new Set([real, absolute])) {
    if (!await writeTrustDecision(home, candidate, null)) continue;
    if (context.flags.json) {
      context.out(jsonLine({ schemaVersion: 1, type: "trust", path: candidate, state: "unknown" }));
    } else context.out(`Forgot the decision about ${quoted(candidate, 1000)}\n`);
    return EXIT_STATUS.completed;
  }
  throw new AlisioError(
    "usage",
    `Cannot revoke ${quoted(real, 1000)}: no decision about it is stored; see alisio trust list`,
  );
}

/**
 * Remembers what was decided on a project.
 *
 * @param context Whose decision it is.
 * @param inspection What was decided on.
 * @param decision The decision.
 * @throws {AlisioError} If the store cannot be written.
 */
export async function rememberTrust(
  context: Pick<CommandContext, "env">,
  inspection: ProjectInspection,
  decision: TrustDecision["decision"],
): Promise<void> {
  const { workspace, digests, referenced, declared } = inspection;
  await writeTrustDecision(stateHome(context.env), workspace, {
    decision,
    decidedAt: Date.now(),
    digests,
    referenced,
    declared,
  });
}

/**
 * What the person trusts: the files, what the configuration does, and what is new about both.
 *
 * @param inspection What there is to decide on.
 * @param before The earlier decision.
 * @returns One line each, which may hold anything.
 */
export function describeProject(
  { workspace, resources, digests, declared }: ProjectInspection,
  before: TrustDecision | undefined,
): readonly string[] {
  const files = Object.keys(digests).map((path) => `  ${quoted(path, 300)}`);
  const hidden = files.length - MAX_LISTED;
  const lines = [
    `Project ${quoted(workspace, 1000)}`,
    resources.length === 0 ? "Nothing in it configures Alisio" : "Files that are trusted:",
    ...files.slice(0, MAX_LISTED),
    ...(hidden > 0 ? [`  and ${hidden} more`] : []),
  ];
  if (declared.length > 0) {
    lines.push("Its configuration:", ...declared.map((line) => `  ${line}`));
  }
  lines.push("Its AGENTS.md files may instruct the model, also after they change");
  if (before === undefined) return lines;
  const changes = [
    ...compareDigests(before.digests, digests),
    ...before.declared.filter((line) => !declared.includes(line)).map((line) =>
      `no longer ${line}`
    ),
    ...declared.filter((line) => !before.declared.includes(line)).map((line) => `now ${line}`),
  ];
  const since = new Date(before.decidedAt).toISOString().slice(0, 10);
  return changes.length === 0
    ? [...lines, `Nothing has changed since ${since}, when it was ${before.decision}`]
    : [
      ...lines,
      `Changes since ${since}, when it was ${before.decision}:`,
      ...changes.slice(0, MAX_LISTED).map((line) => `  ${line}`),
    ];
}

async function readDecisions(context: CommandContext): Promise<TrustDecisions> {
  const home = stateHome(context.env);
  const store = await readTrustStore(home);
  if (store.status === "unusable") throw unusableStore(home, store.reason);
  for (const notice of store.notices) context.err(`${notice}\n`);
  return store.decisions;
}

async function stateOf(path: string, decision: TrustDecision): Promise<string> {
  try {
    if (await Deno.realPath(path) !== path) return "missing";
  } catch {
    return "missing";
  }
  return (await judge(path, decision, await findTrustResources(path))).state;
}

function isAction(name: string): name is (typeof ACTIONS)[number] {
  return (ACTIONS as readonly string[]).includes(name);
}

function unknownAction(action: string | undefined): AlisioError {
  if (action === undefined) return new AlisioError("usage", `Action is missing: write ${FORMS}`);
  const nearest = nearestName(action, ACTIONS);
  const advice = nearest === undefined ? `write ${FORMS}` : `did you mean "${nearest}"?`;
  return new AlisioError("usage", `Unknown action ${quoted(action)}: ${advice}`);
}
