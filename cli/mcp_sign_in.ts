import type { McpServerSettings } from "../core/config/configuration.ts";
import { stateHome } from "../core/config/directories.ts";
import { quoted } from "../core/config/quoted.ts";
import { AlisioError } from "../core/errors.ts";
import { join } from "../core/paths/path.ts";
import { visibleLines, visibleName } from "../core/process/visible_text.ts";
import { formatStep } from "../core/provider/connect_flow.ts";
import type { SignInPorts } from "../core/provider/auth/sign_in.ts";
import { type ServerSignedIn, signInToServer } from "../tools/mcp/oauth/sign_in_to_server.ts";
import { signOutOfServer } from "../tools/mcp/oauth/sign_out_of_server.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { jsonLine } from "./json_line.ts";

/** Whoever has one of these works on another machine than the one in front of them. */
const REMOTE_VARIABLES = ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"] as const;

/** A server by its name. */
type NamedServer = readonly [name: string, settings: McpServerSettings];

/**
 * `alisio mcp login`: signs in at a server that wants that, with a browser on this machine or the
 * address that the person pastes.
 *
 * @param context What the command was called with.
 * @param server The server.
 * @returns The exit status.
 * @throws {AlisioError} If nobody was signed in.
 */
export async function runMcpLogin(
  context: CommandContext,
  [name, settings]: NamedServer,
): Promise<number> {
  const { env, flags } = context;
  if (flags.readOnly) {
    throw new AlisioError("usage", "Cannot sign in: --read-only lets no MCP server be reached");
  }
  const folder = join(stateHome(env), "mcp");
  const request = { name, settings, env, folder, hideSecrets: () => {} };
  const hasBrowser = REMOTE_VARIABLES.every((variable) => (env[variable] ?? "") === "");
  const { service, scopes } = await withPerson(
    context,
    `Signing in to MCP server ${quoted(name)}`,
    (ports) => signInToServer(request, { ...ports, hasBrowser }),
  );
  if (flags.json) {
    context.out(
      jsonLine({ schemaVersion: 1, type: "mcp_signed_in", data: { name, service, scopes } }),
    );
    return EXIT_STATUS.completed;
  }
  const rights = scopes.length === 0 ? "" : `, with the rights ${scopes.join(", ")}`;
  context.out(`Signed in to MCP server ${quoted(name)} at ${visibleName(service + rights)}\n`);
  return EXIT_STATUS.completed;
}

/**
 * `alisio mcp logout`: forgets the sign-in at a server, and has it revoked where that is offered.
 *
 * @param context What the command was called with.
 * @param server The server.
 * @returns The exit status.
 * @throws {AlisioError} If the server has no address.
 */
export async function runMcpLogout(
  { env, flags, out }: CommandContext,
  [name, { url }]: NamedServer,
): Promise<number> {
  const address = URL.parse(url ?? "");
  if (address === null) {
    throw new AlisioError(
      "usage",
      `Cannot sign out of MCP server ${quoted(name)}: it is a program, which has no sign-in`,
    );
  }
  const outcome = await signOutOfServer(join(stateHome(env), "mcp"), address);
  if (flags.json) {
    out(jsonLine({ schemaVersion: 1, type: "mcp_signed_out", data: { name, outcome } }));
  } else out(`${OUTCOMES[outcome].replace("NAME", quoted(name))}\n`);
  return EXIT_STATUS.completed;
}

const OUTCOMES = {
  none: "Nobody was signed in to MCP server NAME",
  revoked: "Signed out of MCP server NAME; the service has revoked the sign-in",
  forgotten: "Signed out of MCP server NAME; the service may count the sign-in until it ends",
} as const;

async function withPerson(
  context: CommandContext,
  title: string,
  work: (ports: Pick<SignInPorts, "show" | "prompt" | "signal">) => Promise<ServerSignedIn>,
): Promise<ServerSignedIn> {
  if (!Deno.stdin.isTerminal() || !Deno.stdout.isTerminal() || context.flags.json) {
    const show: SignInPorts["show"] = (step) => {
      if (context.flags.json) {
        return context.out(jsonLine({ schemaVersion: 1, type: "mcp_sign_in", data: step }));
      }
      for (const line of formatStep(step)) context.err(`${visibleLines(line)}\n`);
    };
    return await work({ show, signal: context.signal });
  }
  const [{ withDialogue }, { LinesAsker }] = await Promise.all([
    import("./talk/with_dialogue.ts"),
    import("./connect/lines_asker.ts"),
  ]);
  return await withDialogue(
    context,
    (ports, signal) => new LinesAsker(ports, signal).signIn(title, work),
  );
}
