import type { Stage } from "../stage.ts";

/**
 * Opens the application anew, with what the files say now, and chooses the permission mode and the
 * agent again that were in force. What was allowed for the session is forgotten, except the consent
 * to MCP servers, as long as they are the same.
 *
 * @param stage The conversation.
 * @param overrides What is changed beside it.
 * @throws {AlisioError} If it cannot be opened; the one before goes on then.
 */
export async function reopenKeepingChoices(
  stage: Stage,
  overrides: Parameters<Stage["reopen"]>[0] = {},
): Promise<void> {
  const before = REOPENING.get(stage) ?? Promise.resolve();
  const reopening = before.then(() => reopen(stage, overrides));
  REOPENING.set(stage, reopening.catch(() => {}));
  await reopening;
}

/** One that begins while another goes on would find the choices of neither. */
const REOPENING = new WeakMap<Stage, Promise<void>>();

async function reopen(stage: Stage, overrides: Parameters<Stage["reopen"]>[0]): Promise<void> {
  const mode = stage.application.permissionMode();
  const agent = stage.application.agents.active.id;
  const servers = consentedServers(stage);
  await stage.reopen(overrides);
  const isChosen = mode === "ask" || mode === "auto" || mode === "full";
  if (isChosen && stage.application.permissionMode() !== mode) {
    stage.application.setPermissionMode(mode);
  }
  if (servers !== undefined) useAgain(stage, servers);
  if (stage.application.agents.active.id === agent) return;
  try {
    await stage.application.agents.choose(agent);
  } catch {
    // It is defined no more; the one that the files name runs, which the screen shows.
  }
}

/** What the person consented to for the session. */
interface ConsentedServers {
  /** All that is configured of servers. */
  readonly settings: string;
  readonly connected: readonly string[];
}

function consentedServers({ application }: Stage): ConsentedServers | undefined {
  const { mcp } = application;
  if (mcp?.permission().source !== "session") return undefined;
  return {
    settings: JSON.stringify(application.loaded.configuration.mcp.servers),
    connected: mcp.servers().filter(({ state }) => state === "connected").map(({ name }) => name),
  };
}

/** Nobody waits for a connection; what becomes of it is in the list of servers. */
function useAgain({ application }: Stage, { settings, connected }: ConsentedServers): void {
  const { mcp, loaded } = application;
  const isSame = JSON.stringify(loaded.configuration.mcp.servers) === settings;
  if (mcp === undefined || mcp.permission().isGranted || !isSame) return;
  mcp.grant("session");
  for (const name of connected) {
    mcp.connectServer(name, new AbortController().signal).catch(() => {});
  }
}
