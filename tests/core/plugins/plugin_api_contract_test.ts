import { join } from "node:path";
import { PluginHost } from "../../../core/plugins/plugin_host.ts";
import { openPluginDatabase } from "../../../core/plugins/plugin_storage.ts";
import { ProviderRegistry } from "../../../core/provider/provider_registry.ts";
import { openSessionStore } from "../../../core/session/session_store.ts";
import { ToolRegistry } from "../../../core/tools/tool_registry.ts";
import { testPluginApi } from "../../contracts/plugin_api_contract.ts";

testPluginApi("PluginHost", async () => {
  const dir = await Deno.realPath(await Deno.makeTempDir());
  const store = openSessionStore(join(dir, "state/sessions.sqlite"));
  const tools = new ToolRegistry();
  const providers = new ProviderRegistry();
  const host = new PluginHost({
    registerTool: (tool) => tools.registerPlugin(tool),
    registerProvider: (registration) => providers.register(registration),
    disposeTimeoutMs: 1_000,
    state: {
      get: (plugin, key) => store.pluginState(plugin, key),
      set: (plugin, key, value) => store.setPluginState(plugin, key, value),
    },
    openDatabase: openPluginDatabase,
    folders: { state: join(dir, "state"), config: join(dir, "config") },
  });
  let isOpen = true;
  return {
    add: (plugin) =>
      host.add(plugin, { label: plugin.id, origin: "flag", folder: dir, timeoutMs: 1_000 }),
    async [Symbol.asyncDispose]() {
      if (!isOpen) return;
      isOpen = false;
      await host.close();
      store.close();
      await Deno.remove(dir, { recursive: true });
    },
  };
});
