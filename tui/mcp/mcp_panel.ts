import { changeSetting } from "../../core/config/change_settings.ts";
import { configHome } from "../../core/config/directories.ts";
import { errorMessage } from "../../core/errors.ts";
import { overviewOf, serverSource } from "../../core/mcp/describe_mcp.ts";
import type { McpSignedOut } from "../../core/mcp/mcp_parts.ts";
import { showSections } from "../commands/show_sections.ts";
import { hasBrowser } from "../connect/has_browser.ts";
import { ListPicker } from "../panels/list_picker.ts";
import { pickFromList } from "../panels/show_panels.ts";
import type { Stage } from "../stage.ts";
import { askForConsent } from "./mcp_consent.ts";
import {
  type McpAction,
  mcpActions,
  mcpDetail,
  mcpItems,
  type McpLine,
  mcpTitle,
  serverSections,
  toolSections,
} from "./mcp_rows.ts";

/**
 * Lets the person look at MCP servers, connect them and take consent back, until they leave.
 *
 * @param stage The conversation.
 */
export async function openMcpPanel(stage: Stage): Promise<void> {
  let line: McpLine | undefined;
  await noteConfiguration(stage);
  do {
    line = await showServers(stage, line);
    try {
      if (line?.kind === "consent") await changeConsent(stage, line.action);
      else if (line !== undefined) await showActions(stage, line.server.name);
    } catch (error) {
      stage.say(errorMessage(error), "error");
    }
  } while (line !== undefined);
}

/** Files that cannot be used are for `/reload` to tell of. */
async function noteConfiguration({ application }: Stage): Promise<void> {
  const { mcp } = application;
  if (mcp === undefined) return;
  try {
    mcp.noteConfiguration((await application.readConfiguration()).configuration.mcp);
  } catch {
    return;
  }
}

/** The line that was chosen; undefined to leave. */
async function showServers(
  stage: Stage,
  before: McpLine | undefined,
): Promise<McpLine | undefined> {
  const { application } = stage;
  const items = () => mcpItems(overviewOf(application), application.loaded);
  let unwatch: (() => void) | undefined;
  try {
    return await stage.panels.open<McpLine>((done, frame) => {
      const picker = new ListPicker<McpLine>({
        title: () => mcpTitle(overviewOf(application).permission),
        items: items(),
        theme: stage.theme,
        frame,
        emptyText: "No MCP server is configured; docs/mcp.md says how",
        confirmHelp: "Enter open",
        selected: ({ value }) => keyOf(value) === keyOf(before),
        onChoose: ({ value }) => done(value),
        onCancel: () => done(undefined),
        detail: ({ value }) => mcpDetail(value, overviewOf(application).permission),
      });
      unwatch = application.mcp?.watch(() => picker.setItems(items()));
      return picker;
    });
  } finally {
    unwatch?.();
  }
}

function keyOf(line: McpLine | undefined): string {
  if (line === undefined) return "";
  return line.kind === "server" ? `server ${line.server.name}` : line.kind;
}

async function showActions(stage: Stage, name: string): Promise<void> {
  const { application } = stage;
  const { permission, servers } = overviewOf(application);
  const server = servers.find((each) => each.name === name);
  if (server === undefined) return;
  const isSignedIn = await application.mcp?.isSignedIn(name) ?? false;
  const action = await pickFromList<McpAction>(stage, {
    title: name,
    items: mcpActions(server, permission, isSignedIn),
    isFilterable: false,
    detail: () => mcpDetail({ kind: "server", server }, permission),
  });
  if (action !== undefined) await act(stage, name, action);
}

async function act(stage: Stage, name: string, action: McpAction): Promise<void> {
  const { application } = stage;
  switch (action) {
    case "connect":
      return await connect(stage, name);
    case "sign_in":
      return await signIn(stage, name);
    case "enable":
      if (!await isAllowed(stage)) return;
      await switchServer(stage, name, true);
      return await connect(stage, name);
    case "disable":
      return await switchServer(stage, name, false);
    case "sign_out":
      return await signOut(stage, name);
    case "disconnect":
      return await application.mcp?.disconnectServer(name);
    case "tools":
      return await showSections(
        stage,
        `Tools of ${name}`,
        toolSections(application.mcp?.tools(name) ?? []),
      );
    case "details":
      return await showDetails(stage, name);
  }
}

async function showDetails(stage: Stage, name: string): Promise<void> {
  const { permission, servers } = overviewOf(stage.application);
  const server = servers.find((each) => each.name === name);
  if (server === undefined) return;
  const source = serverSource(stage.application.loaded, name);
  await showSections(stage, name, [
    ...serverSections(server, { permission, source, isEnabled: server.enabled }),
    ...(server.tools === 0 ? [] : toolSections(stage.application.mcp?.tools(name) ?? [])),
  ]);
}

/** Decided for good, in the file that configures it. */
async function switchServer(stage: Stage, name: string, isEnabled: boolean): Promise<void> {
  const { signal } = new AbortController();
  const notice = await stage.application.switchMcpServer(name, isEnabled, signal);
  if (notice !== null) stage.say(notice, "warning");
}

async function signOut(stage: Stage, name: string): Promise<void> {
  const outcome = await stage.application.mcp?.signOut(name);
  if (outcome === undefined) return;
  stage.say(SIGNED_OUT[outcome].replace("NAME", () => JSON.stringify(name)), "success");
}

const SIGNED_OUT: Readonly<Record<McpSignedOut, string>> = {
  none: "Nobody was signed in for MCP server NAME",
  revoked: "Signed out of MCP server NAME; the service has revoked the sign-in",
  forgotten: "Signed out of MCP server NAME; the service may count the sign-in until it ends",
};

/** Connecting goes on while the list shows how far it is; it is stopped there. */
async function connect(stage: Stage, name: string): Promise<void> {
  const { mcp } = stage.application;
  if (mcp === undefined || !await isAllowed(stage)) return;
  mcp.connectServer(name, new AbortController().signal).catch((error) => {
    // Whoever stopped it knows.
    if (mcp.servers().find((each) => each.name === name)?.state === "disconnected") return;
    stage.say(errorMessage(error), "error");
  });
}

/** Whoever gives up is back in the list. */
async function signIn(stage: Stage, name: string): Promise<void> {
  const { mcp } = stage.application;
  if (mcp === undefined || !await isAllowed(stage)) return;
  const [{ PanelAsker }, { ConnectCancelledError }] = await Promise.all([
    import("../connect/panel_asker.ts"),
    import("../../core/provider/connect_asker.ts"),
  ]);
  try {
    const { service } = await new PanelAsker(stage).signIn(
      `Sign in at ${name}`,
      (ports) => mcp.signIn(name, { ...ports, hasBrowser: hasBrowser(stage.env) }),
    );
    stage.say(`Signed in at ${service} for MCP server "${name}"`, "success");
  } catch (error) {
    if (error instanceof ConnectCancelledError) return;
    throw error;
  }
  await connect(stage, name);
}

/** Whether servers may be used, asked where nobody has said so. */
async function isAllowed(stage: Stage): Promise<boolean> {
  const { mcp } = stage.application;
  if (mcp === undefined) return false;
  if (mcp.permission().isGranted) return true;
  const consent = await askForConsent(stage, mcp.serverNames());
  if (consent === undefined) return false;
  if (consent === "global") await remember(stage, true);
  mcp.grant(consent);
  stage.redraw();
  return true;
}

async function changeConsent(stage: Stage, action: "grant" | "revoke"): Promise<void> {
  if (action === "grant") return void await isAllowed(stage);
  const { mcp } = stage.application;
  if (mcp === undefined) return;
  if (mcp.permission().source === "global") await remember(stage, undefined);
  await mcp.revoke();
  stage.redraw();
}

async function remember(stage: Stage, value: true | undefined): Promise<void> {
  const { signal } = new AbortController();
  await changeSetting(configHome(stage.env), { key: "mcp.allow", value }, signal);
}
