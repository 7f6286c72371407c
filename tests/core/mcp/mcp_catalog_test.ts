import assert from "node:assert/strict";
import { McpCatalog } from "../../../core/mcp/mcp_catalog.ts";
import { ToolRegistry } from "../../../core/tools/tool_registry.ts";
import { MCP_PARTS } from "../../../tools/mcp/mcp_parts.ts";
import { loadSchemaValidator } from "../../../tools/standard_tools.ts";
import { FREE, type ServerScene, type ServerSceneOptions, withServer } from "./_server.ts";

/** A catalog of one server, which is connected. */
interface CatalogScene extends ServerScene {
  readonly catalog: McpCatalog;
  readonly registry: ToolRegistry;
  readonly told: string[];
}

async function withCatalog(
  { maxToolChars = 40_000, ...options }: ServerSceneOptions & { readonly maxToolChars?: number },
  fn: (scene: CatalogScene) => Promise<void>,
): Promise<void> {
  const told: string[] = [];
  const registry = new ToolRegistry();
  const catalog = new McpCatalog({
    registry,
    adaptSchema: MCP_PARTS.adaptSchema,
    validate: await loadSchemaValidator(),
    maxToolChars,
    notify: (notice) => void told.push(notice),
  });
  const update = { onChanged: (server: ServerScene["server"]) => catalog.update([server]) };
  await withServer({ ...options, ...update }, async (scene) => {
    await scene.server.connect(FREE.signal);
    await fn({ ...scene, catalog, registry, told });
  });
}

function offered(registry: ToolRegistry, sessionId: string): readonly string[] {
  return registry.list().filter((tool) => tool.isOffered?.(sessionId) !== false)
    .map(({ name }) => name);
}

Deno.test("McpCatalog registers the tools of a server, and takes them away with it", async () => {
  await withCatalog({}, async ({ catalog, registry, server }) => {
    const names = ["mcp_small_echo", "mcp_small_change", "mcp_small_die", "mcp_small_slow"];
    assert.deepEqual(catalog.list().map(({ name }) => name), names);
    for (const name of names) assert.equal(registry.get(name)?.effect, "external");
    await server.disconnect();
    assert.deepEqual(catalog.list(), []);
    for (const name of names) assert.equal(registry.get(name), undefined);
  });
});

Deno.test("McpCatalog keeps names apart from each other and within 64 characters", async () => {
  const names = ["a.b", "a b", "x".repeat(100), "plain"];
  await withCatalog({ behaviour: () => ({ names }) }, ({ catalog }) => {
    const given = catalog.list();
    assert.deepEqual(given.map(({ tool }) => tool), names);
    assert.equal(new Set(given.map(({ name }) => name)).size, names.length);
    for (const { name } of given) assert.match(name, /^mcp_small_[A-Za-z0-9_-]{1,54}$/);
    assert.equal(given.at(-1)?.name, "mcp_small_plain");
    return Promise.resolve();
  });
});

Deno.test("McpCatalog offers only what a session found where tools are too many", async () => {
  const options = { behaviour: () => ({ many: 50 }), maxToolChars: 2_000 };
  await withCatalog(options, ({ catalog, registry }) => {
    assert.ok(catalog.isSearched);
    assert.deepEqual(offered(registry, "one"), []);
    const [best] = catalog.search("thing number 7", "one");
    assert.equal(best?.name, "mcp_small_tool_7");
    assert.ok(offered(registry, "one").includes("mcp_small_tool_7"));
    assert.deepEqual(offered(registry, "two"), []);
    return Promise.resolve();
  });
});

Deno.test("McpCatalog tells once of a tool that its server changed", async () => {
  await withCatalog({}, async ({ catalog, registry, server, told }) => {
    const before = registry.get("mcp_small_echo")?.revision;
    const change = server.tools.find(({ name }) => name === "change");
    const echo = server.tools.find(({ name }) => name === "echo");
    assert.ok(change !== undefined && echo !== undefined);
    await server.callTool(change, {}, FREE);
    // The list is there before anything else is called.
    await assert.rejects(server.callTool(echo, {}, FREE), /changed this tool/);
    assert.notEqual(registry.get("mcp_small_echo")?.revision, before);
    assert.deepEqual(told, ['MCP server "small" changed its tool "echo"']);
    assert.match(catalog.list()[0]?.description ?? "", /version 2/);
  });
});
