import { stateHome } from "../core/config/directories.ts";
import type { McpServerSettings } from "../core/config/configuration.ts";
import { nearestName } from "../core/config/nearest_name.ts";
import { quoted } from "../core/config/quoted.ts";
import { AlisioError, errorMessage } from "../core/errors.ts";
import { McpServer } from "../core/mcp/mcp_server.ts";
import type { McpServerStatus } from "../core/mcp/mcp_state.ts";
import { join } from "../core/paths/path.ts";
import { visibleLines } from "../core/process/visible_text.ts";
import { resolveRoots } from "../core/workspace.ts";
import { MCP_PARTS } from "../tools/mcp/mcp_parts.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { jsonLine } from "./json_line.ts";
import { type FoundProject, readProject } from "./read_project.ts";

const ACTIONS = ["list", "doctor", "login", "logout"] as const;
const FORMS = "alisio mcp list | doctor [server] | login <server> | logout <server>";

/** What connecting a server showed. */
interface Examined extends McpServerStatus {
  readonly resources: number | null;
  readonly prompts: number | null;
  /** What went wrong, one sentence each. */
  readonly problems: readonly string[];
  readonly durationMs: number;
}

/**
 * `alisio mcp`: `list` shows which servers are configured and starts none; `doctor` connects one or
 * all of them and says what they have; `login` and `logout` sign in at one and out again.
 *
 * @param context What the command was called with.
 * @returns 0, or 1 if a server could not be connected or asked.
 * @throws {AlisioError} If the command line is wrong, nobody consented, or the configuration is not
 * usable.
 */
export async function runMcp(context: CommandContext): Promise<number> {
  const [action, name, extra] = context.args;
  const known = ACTIONS.find((each) => each === action);
  if (action === undefined) throw new AlisioError("usage", `Action is missing: write ${FORMS}`);
  if (known === undefined) {
    const nearest = nearestName(action, ACTIONS);
    const advice = nearest === undefined ? `write ${FORMS}` : `did you mean "${nearest}"?`;
    throw new AlisioError("usage", `Unknown action ${quoted(action)}: ${advice}`);
  }
  const unexpected = known === "list" ? name : extra;
  if (unexpected !== undefined) {
    throw new AlisioError("usage", `Unexpected argument ${quoted(unexpected)}: write ${FORMS}`);
  }
  const project = await readProject(context);
  if (known === "list") return list(context, project);
  if (known === "login" || known === "logout") return await changeSignIn(context, project, known);
  return await examine(context, project, name);
}

async function changeSignIn(
  context: CommandContext,
  { loaded }: FoundProject,
  action: "login" | "logout",
): Promise<number> {
  const [, name] = context.args;
  if (name === undefined) {
    throw new AlisioError("usage", `Server is missing: write alisio mcp ${action} <server>`);
  }
  const [server] = chooseServers(loaded.configuration.mcp.servers, name);
  if (server === undefined) throw new AlisioError("usage", "No MCP server is configured");
  const { runMcpLogin, runMcpLogout } = await import("./mcp_sign_in.ts");
  return action === "login"
    ? await runMcpLogin(context, server)
    : await runMcpLogout(context, server);
}

function list(context: CommandContext, { loaded }: FoundProject): number {
  const { allow, servers } = loaded.configuration.mcp;
  const { json, readOnly, allowMcp } = context.flags;
  const permission = readOnly ? "blocked" : allowMcp || allow ? "granted" : "needed";
  const rows = Object.entries(servers).map(([name, { enabled, transport }]) => ({
    name,
    transport,
    enabled,
    state: enabled ? "disconnected" : "disabled",
    permission,
    layer: sourceOf(loaded, name),
  }));
  if (json) {
    for (const row of rows) {
      context.out(jsonLine({ schemaVersion: 1, type: "mcp_server", ...row }));
    }
    return EXIT_STATUS.completed;
  }
  if (rows.length === 0) {
    context.out('No MCP server is configured; add one under "mcp.servers"\n');
    return EXIT_STATUS.completed;
  }
  const width = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.map(({ name, transport, state, layer }) =>
    `${name.padEnd(width)}  ${transport.padEnd(5)}  ${state.padEnd(12)}  ${layer}`
  );
  context.out(visibleLines(`${lines.join("\n")}\n${PERMISSIONS[permission]}\n`));
  return EXIT_STATUS.completed;
}

const PERMISSIONS = {
  granted: "Servers may be started and reached",
  needed: 'Nobody has consented to start and reach them: pass --allow-mcp, or set "mcp.allow" in ' +
    "your own configuration",
  blocked: "--read-only lets no server be started or reached",
} as const;

function sourceOf({ sources }: FoundProject["loaded"], name: string): string {
  const prefix = `mcp.servers.${name}.`;
  return [...sources].find(([key]) => key.startsWith(prefix))?.[1].layer ?? "";
}

async function examine(
  context: CommandContext,
  project: FoundProject,
  name: string | undefined,
): Promise<number> {
  const { allow, servers } = project.loaded.configuration.mcp;
  const { flags } = context;
  if (flags.readOnly) {
    throw new AlisioError("usage", "Cannot connect MCP servers: --read-only lets none be reached");
  }
  if (!flags.allowMcp && !allow) {
    throw new AlisioError(
      "usage",
      "Cannot connect MCP servers: nobody consented; pass --allow-mcp, if you trust them: they run " +
        "with all your rights",
    );
  }
  const chosen = chooseServers(servers, name);
  if (chosen.length === 0) {
    context.out(flags.json ? "" : "No MCP server is configured\n");
    return EXIT_STATUS.completed;
  }
  const examined = await Promise.all(
    chosen.map(async ([each, settings]) => {
      const result = await examineServer(context, project, [each, settings]);
      report(context, result);
      return result;
    }),
  );
  const isFine = examined.every(({ problems }) => problems.length === 0);
  return isFine ? EXIT_STATUS.completed : EXIT_STATUS.failed;
}

function chooseServers(
  servers: Readonly<Record<string, McpServerSettings>>,
  name: string | undefined,
): readonly (readonly [string, McpServerSettings])[] {
  const all = Object.entries(servers);
  if (name === undefined) return all;
  const found = all.find(([each]) => each === name);
  if (found !== undefined) return [found];
  const nearest = nearestName(name, all.map(([each]) => each));
  const advice = nearest === undefined
    ? 'look at what "alisio mcp list" shows'
    : `did you mean ${quoted(nearest)}?`;
  throw new AlisioError("usage", `Cannot find MCP server ${quoted(name)}: ${advice}`);
}

async function examineServer(
  { env, signal }: CommandContext,
  { workspace, loaded }: FoundProject,
  [name, settings]: readonly [string, McpServerSettings],
): Promise<Examined> {
  const problems: string[] = [];
  const startedAt = performance.now();
  const server = new McpServer({
    name,
    settings,
    connect: MCP_PARTS.connect,
    common: {
      workspace,
      roots: resolveRoots(workspace, loaded.configuration.additionalDirectories),
      env,
      signInFolder: join(stateHome(env), "mcp"),
      hideSecrets: () => {},
    },
    onChanged: () => {},
    notify: () => {},
  });
  let resources: number | null = null;
  let prompts: number | null = null;
  try {
    if (settings.enabled) {
      const { offers } = await server.connect(signal);
      const count = async (ask: () => Promise<{ readonly entries: readonly unknown[] }>) => {
        try {
          return (await ask()).entries.length;
        } catch (error) {
          signal.throwIfAborted();
          problems.push(errorMessage(error));
          return null;
        }
      };
      if (offers.resources) resources = await count(() => server.listResources({ signal }));
      if (offers.prompts) prompts = await count(() => server.listPrompts({ signal }));
    }
  } catch (error) {
    signal.throwIfAborted();
    problems.push(errorMessage(error));
  }
  const status = server.status();
  const durationMs = Math.round(performance.now() - startedAt);
  await server.close();
  const faults = problems.length === 0 ? status.faults : [];
  const isUnlisted = status.tools === 0 && faults.length > 0;
  return {
    ...status,
    resources,
    prompts,
    problems: isUnlisted ? [...problems, ...faults] : problems,
    durationMs,
  };
}

function report(context: CommandContext, examined: Examined): void {
  const { name, state, tools, resources, prompts, problems, errorTail, faults } = examined;
  if (context.flags.json) {
    context.out(jsonLine({ schemaVersion: 1, type: "mcp_server", ...examined }));
    return;
  }
  const counts = [counted(tools, "tool")]
    .concat(resources === null ? [] : [counted(resources, "resource")])
    .concat(prompts === null ? [] : [counted(prompts, "prompt")]);
  const { serverName, serverVersion, durationMs } = examined;
  const head = state === "disabled"
    ? `${name}: switched off`
    : state === "connected"
    ? `${name}: connected in ${durationMs} ms to ${serverName} ${serverVersion}: ${
      counts.join(", ")
    }`
    : `${name}: ${state.replaceAll("_", " ")}`;
  const isTold = errorTail === undefined || errorTail === "" ||
    problems.some((problem) => problem.endsWith(errorTail));
  const tail = isTold ? [] : errorTail.split("\n");
  const lines = [
    head,
    ...problems.map((problem) => `  Problem: ${problem}`),
    ...faults.map((fault) => `  Left out: ${fault}`),
    ...tail.map((line) => `  | ${line}`),
  ];
  context.out(visibleLines(`${lines.join("\n")}\n`));
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
