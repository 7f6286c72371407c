import assert from "node:assert/strict";
import { createStandardTools, loadSchemaValidator } from "../../../tools/standard_tools.ts";
import { createCommandTable } from "../../../tui/commands/command_table.ts";
import { reopenKeepingChoices } from "../../../tui/commands/reopen.ts";
import { KEYS } from "../../support/fake_stage.ts";
import { startOAuthScene } from "../../tools/mcp/_oauth_service.ts";
import { smallServer } from "../../e2e/_mcp.ts";
import { type CommandScene, withCommands } from "../commands/_command_scene.ts";

const ANNOTATIONS = { readOnlyHint: true, destructiveHint: false, openWorldHint: true };

function config(servers: Readonly<Record<string, unknown>>, more = {}): string {
  return JSON.stringify({ mcp: { servers, ...more } });
}

const SMALL = { "config/config.json": config({ small: smallServer() }) };
const CONSENT = "Question 1/1 · MCP servers";

const OPTIONS = {
  ask: () => Promise.resolve([]),
  loadMcp: async () => (await import("../../../tools/mcp/mcp_parts.ts")).MCP_PARTS,
};

/** Opens the panel, does something in it, and leaves it. */
async function inPanel(
  options: Parameters<typeof withCommands>[0],
  body: (scene: CommandScene) => Promise<void>,
): Promise<void> {
  await withCommands({ ...OPTIONS, ...options }, async (scene) => {
    const run = scene.type("/mcps");
    await scene.stage.shows("MCP servers");
    await body(scene);
    await scene.stage.press(KEYS.escape);
    await run;
  });
}

/** Answers the question about consent, which takes no key before it could be read. */
async function consent({ stage }: CommandScene, ...keys: readonly string[]): Promise<void> {
  await stage.shows(CONSENT);
  await stage.shows("Enter submit");
  await stage.press(...keys);
}

async function written({ folder }: CommandScene): Promise<{ readonly mcp: { allow?: boolean } }> {
  return JSON.parse(await Deno.readTextFile(`${folder}/config/config.json`));
}

Deno.test("/mcps shows where servers are configured and what they are doing", async () => {
  const files = {
    "config/config.json": config({
      small: smallServer(),
      web: { url: "https://mcp.example.com/x?key=hidden", enabled: false },
    }),
    "ws/.alisio/config.json": config({ ours: { command: "secret-command", args: ["hidden"] } }),
  };
  await inPanel({ files, trustProject: true }, async ({ screens }) => {
    assert.equal(
      await screens(),
      `MCP servers, not allowed yet (1/4)
Your configuration
› [ ] small              disconnected · stdio
  [-] web                disabled · http
This project
  [ ] ours               disconnected · stdio
Permission
      Allow MCP servers
It is connected when you or the model ask for it

Enter open · Esc close · type to search
========================================
MCP servers, not allowed yet (1/4)
Your configuration
› [ ] small             disconnected · …
  [-] web               disabled · http
This project
  [ ] ours              disconnected · …
Permission
      Allow MCP servers
It is connected when you or the model
ask for it
Enter open · Esc close · type to search
`,
    );
  });
});

Deno.test("/mcps says how servers are configured where there is none", async () => {
  await inPanel({}, async ({ stage }) => {
    assert.match(await stage.screen(80), /No MCP server is configured; docs\/mcp\.md says how/);
  });
});

Deno.test("/mcps asks before it connects, and shows the tools of the server", async () => {
  const small = smallServer({ annotations: ANNOTATIONS });
  await inPanel({ files: { "config/config.json": config({ small }) } }, async (scene) => {
    const { stage } = scene;
    await stage.press(KEYS.enter);
    await stage.shows("› Connect");
    await stage.press(KEYS.enter);
    await stage.shows("Enter submit");
    assert.equal(
      await scene.screens(),
      `▞▞ Question 1/1 · MCP servers
│ An MCP server is a program that runs with all your rights, outside every sandb
┊ ox, or an address that is sent what its tools are given.
│ The consent covers every enabled server: small.
│ Calls of their tools are asked about as other calls are. Allow it?
› Allow for this session
    Until Alisio ends
  Grant and remember
    Writes mcp.allow to your configuration: each start connects every enabled
    server
  Not now
    Nothing is started or reached
Enter submit · Esc skip · Ctrl+C stop
========================================
▞▞ Question 1/1 · MCP servers
│ An MCP server is a program that runs w
┊ ith all your rights, outside every san
┊ dbox, or an address that is sent what
┊ its tools are given.
│ The consent covers every enabled serve
Rows 1 to 5 of 8; PgDn PgUp scroll
› Allow for this session
    Until Alisio ends
  Grant and remember
    Writes mcp.allow to your
    configuration: each start connects
    every enabled server
  Not now
    Nothing is started or reached
Enter submit · Esc skip · Ctrl+C stop
`,
    );
    await consent(scene, KEYS.enter);
    await stage.shows("connected · 4 tools · stdio");
    assert.match(await stage.screen(80), /^MCP servers, allowed for this session \(1\/2\)/);
    await stage.press(KEYS.enter, KEYS.enter);
    assert.match(
      await stage.shows("Tools of small", 120),
      /What a server says of its tools is not checked, and permits nothing\.\n {2}echo +\[read-only, not destructive, open world\] Says it again, version 1 .*\(mcp_small_echo\)\n/,
    );
    await stage.press(KEYS.escape);
    await stage.shows("MCP servers");
    await stage.press(KEYS.enter, KEYS.down, KEYS.enter);
    await stage.shows("[ ] small");
    assert.equal((await written(scene)).mcp.allow, undefined);
    assert.deepEqual(stage.log, []);
  });
});

Deno.test("/mcps calls no tool destructive of which nothing is said", async () => {
  await inPanel({ files: SMALL, allowMcp: true }, async ({ stage }) => {
    await stage.shows("[x] small");
    await stage.press(KEYS.enter, KEYS.enter);
    const screen = await stage.shows("Tools of small", 120);
    assert.match(screen, /echo +\[it says nothing of itself\] Says it again/);
    assert.doesNotMatch(screen, /destructive/);
    await stage.press(KEYS.escape);
  });
});

Deno.test("/mcps starts nothing without consent", async () => {
  await withCommands({ ...OPTIONS, files: SMALL }, async (scene) => {
    const { stage, type } = scene;
    const run = type("/mcps");
    await stage.shows("MCP servers");
    await stage.press(KEYS.enter, KEYS.enter);
    await consent(scene, KEYS.escape);
    await stage.shows("MCP servers, not allowed yet");
    await stage.press(KEYS.enter, KEYS.enter);
    await consent(scene, KEYS.down, KEYS.down, KEYS.enter);
    assert.match(await stage.shows("MCP servers, not"), /\[ \] small +disconnected/);
    await stage.press(KEYS.escape);
    await run;
  });
});

Deno.test("/mcps remembers a consent, and takes it back", async () => {
  await inPanel({ files: SMALL }, async (scene) => {
    const { stage } = scene;
    await stage.press(KEYS.end, KEYS.enter);
    await consent(scene, KEYS.down, KEYS.enter);
    await stage.shows("MCP servers, allowed at every start by mcp.allow");
    assert.equal((await written(scene)).mcp.allow, true);
    await stage.press(KEYS.home, KEYS.enter, KEYS.enter);
    await stage.shows("[x] small");
    await stage.press(KEYS.end);
    await stage.shows("› ");
    await stage.press(KEYS.enter);
    await stage.shows("MCP servers, not allowed yet");
    await stage.shows("[ ] small");
    assert.equal((await written(scene)).mcp.allow, undefined);
  });
});

Deno.test("/mcps disables and enables a server in the file and the form that configure it", async () => {
  const files = {
    "config/config.json": config({ other: { command: "other", enabled: false } }),
    "ws/.alisio/config.json": JSON.stringify({ mcpServers: { small: smallServer() } }),
  };
  await inPanel({ files, allowMcp: true, trustProject: true }, async ({ stage, folder }) => {
    const project = async () =>
      JSON.parse(await Deno.readTextFile(`${folder}/ws/.alisio/config.json`));
    await stage.shows("[x] small");
    await stage.press(KEYS.end, KEYS.up, KEYS.enter);
    await stage.shows("› Show tools");
    await stage.press(KEYS.down, KEYS.down, KEYS.enter);
    await stage.shows("[-] small");
    assert.deepEqual(await project(), {
      mcpServers: { small: smallServer({}, { enabled: false }) },
    });
    await stage.press(KEYS.enter, KEYS.enter);
    await stage.shows("[x] small");
    assert.deepEqual(await project(), { mcpServers: { small: smallServer() } });
    assert.equal(
      await Deno.readTextFile(`${folder}/config/config.json`),
      files["config/config.json"],
    );
    assert.deepEqual(stage.log, []);
  });
});

Deno.test("/mcps says that a connected server wants a reload once its configuration has changed", async () => {
  await withCommands({ ...OPTIONS, files: SMALL, allowMcp: true }, async (scene) => {
    const { stage, type, folder } = scene;
    const file = `${folder}/config/config.json`;
    const open = async (mark: string, detail: string) => {
      const run = type("/mcps");
      await stage.shows(mark);
      assert.ok((await stage.screen(120)).includes(detail), await stage.screen(120));
      await stage.press(KEYS.escape);
      await run;
    };
    await stage.application.mcp?.connectServer("small", new AbortController().signal);
    await open("[x] small", "Its tools are offered to the model");
    await Deno.writeTextFile(file, config({ small: smallServer({ many: 1 }) }));
    await open("[*] small", "Its configuration has changed since it was connected; /reload takes");
    await Deno.writeTextFile(file, config({}));
    await open("[*] small", "/reload");
    await Deno.writeTextFile(file, "no configuration");
    await open("[*] small", "/reload");
    await Deno.writeTextFile(file, SMALL["config/config.json"]);
    await open("[x] small", "Its tools are offered to the model");
  });
});

Deno.test("/mcps shows why a server failed, and connects it again", async () => {
  const script = 'console.error("no licence\\x1b[2J"); Deno.exit(3)';
  const failing = { command: Deno.execPath(), args: ["eval", script] };
  const files = { "config/config.json": config({ failing }) };
  await inPanel({ files, allowMcp: true }, async ({ stage }) => {
    await stage.shows("[!] failing");
    await stage.press(KEYS.enter);
    await stage.shows("› Connect again");
    await stage.press(KEYS.down, KEYS.down, KEYS.enter);
    const details = await stage.shows("connection");
    assert.match(details, / connection +failed\n/);
    assert.match(details, / permission +allowed by --allow-mcp\n/);
    assert.match(details, / reason +Cannot connect [^]* no\n +licence\\x1b\[2J\n/);
    // deno-lint-ignore no-control-regex -- what must not reach the screen
    assert.doesNotMatch(details, /\x1b/);
    await stage.press(KEYS.escape);
  });
});

Deno.test("/mcps signs in at a server that needs it, and connects it", async () => {
  await using oauth = startOAuthScene();
  const files = { "config/config.json": config({ web: { url: oauth.server.url } }) };
  await inPanel({ files, allowMcp: true, allowExternal: true }, async ({ stage }) => {
    await stage.shows("needs authentication", 120);
    await stage.press(KEYS.enter);
    await stage.shows("› Sign in");
    await stage.press(KEYS.enter);
    const screen = await stage.shows("/authorize?", 4_000);
    const address = /http:\/\/127\S+/.exec(screen)?.[0] ?? "";
    await (await fetch(await oauth.visit(address))).body?.cancel();
    await stage.shows("[x] web");
    const { origin } = new URL(oauth.service.url);
    assert.deepEqual(stage.log, [`success: Signed in at ${origin} for MCP server "web"`]);
    await stage.press(KEYS.enter);
    await stage.shows("Sign out");
    await stage.press(KEYS.down, KEYS.down, KEYS.enter);
    await stage.shows("[ ] web");
    assert.equal(
      stage.log.at(-1),
      'success: Signed out of MCP server "web"; the service has revoked the sign-in',
    );
    assert.equal(oauth.forms.at(-1)?.path, "/revoke");
    await stage.press(KEYS.enter);
    await stage.shows("› Connect");
    assert.doesNotMatch(await stage.screen(80), /Sign out/);
    await stage.press(KEYS.escape);
    await stage.shows("[ ] web");
  });
});

Deno.test("/mcps changes nothing under --read-only", async () => {
  await inPanel({ files: SMALL, readOnly: true }, async ({ stage }) => {
    assert.match(
      await stage.screen(80),
      /^MCP servers, blocked in this run \(1\/1\)\nYour configuration\n› \[ \] small {2}disconnected · stdio\nBlocked: this run changes nothing; start again without --read-only\n/,
    );
    await stage.press(KEYS.enter);
    assert.match(await stage.screen(80), /^small \(1\/1\)\n› Show details\n/);
    await stage.press(KEYS.escape);
    await stage.shows("MCP servers");
  });
});

Deno.test("reopenKeepingChoices() keeps the consent of the session while servers are the same", async () => {
  await withCommands({ ...OPTIONS, files: SMALL }, async ({ stage, open, folder }) => {
    const reopened = { ...OPTIONS, approve: () => Promise.resolve("deny" as const) };
    stage.onReopen = async () => {
      stage.application = await open({
        ...reopened,
        tools: createStandardTools,
        loadValidator: loadSchemaValidator,
      });
    };
    stage.application.mcp?.grant("session");
    await stage.application.mcp?.connectServer("small", new AbortController().signal);
    await reopenKeepingChoices(stage);
    assert.deepEqual(stage.application.mcp?.permission(), { isGranted: true, source: "session" });
    const run = createCommandTable(stage).find("mcps")?.run(stage, "");
    await stage.shows("[x] small");
    await stage.press(KEYS.escape);
    await run;
    const other = { small: smallServer({ many: 1 }) };
    await Deno.writeTextFile(`${folder}/config/config.json`, config(other));
    await reopenKeepingChoices(stage);
    assert.deepEqual(stage.application.mcp?.permission(), { isGranted: false });
  });
});
