import type { Plugin, ProviderRegistration } from "@alisio/sdk";
import { PluginHost } from "../../core/plugins/plugin_host.ts";

/**
 * The kinds of providers that a plugin registers, as the host is given them.
 *
 * @param plugin The plugin.
 */
export async function registrationsOf(plugin: Plugin): Promise<readonly ProviderRegistration[]> {
  const registered: ProviderRegistration[] = [];
  const host = new PluginHost({
    registerTool: () => () => {},
    registerProvider(registration) {
      registered.push(registration);
      return () => {};
    },
    disposeTimeoutMs: 1_000,
  });
  await host.add(plugin);
  await host.close();
  return registered;
}
