import type { Plugin } from "@alisio/sdk";
import type { PluginSummary } from "./plugin_host.ts";
import type { PluginRequest } from "./plugin_sources.ts";

/** A plugin as a list shows it. Its texts are its own, and may hold anything. */
export interface CatalogPlugin {
  /** Its id; of one that cannot be loaded, what names it. */
  readonly id: string;
  /** Whether it comes with the program, or which file or entry names it. */
  readonly source: { readonly kind: "built-in" } | {
    readonly kind: "external";
    readonly label: string;
  };
  /** What it is in this process; what files say may be another matter by now. */
  readonly state: "enabled" | "disabled" | "failed";
  /** Why it cannot be loaded. */
  readonly failure?: string;
  readonly name?: string;
  readonly version?: string;
  readonly description?: string;
  readonly categories: readonly string[];
  readonly tools: readonly string[];
  readonly commands: readonly string[];
  /** Ids of its kinds of providers. */
  readonly providers: readonly string[];
}

/** A plugin that is not set up, and why. */
export interface PluginLeftOut {
  readonly request: PluginRequest;
  /** Absent where it could not be loaded. */
  readonly plugin?: Plugin;
  /** Absent where it is switched off. */
  readonly failure?: string;
}

/** What a list of plugins is made from. */
export interface CatalogFacts {
  /** Plugins that come with the program. */
  readonly builtin: readonly {
    readonly id: string;
    /** Null where it cannot be loaded here. */
    readonly plugin: Plugin | null;
    readonly isDisabled: boolean;
  }[];
  /** Plugins that are set up. */
  readonly summaries: readonly PluginSummary[];
  /** External plugins that are not. */
  readonly leftOut: readonly PluginLeftOut[];
}

/**
 * Makes the list of plugins, by id. Pure.
 *
 * @param facts What is known of them.
 */
export function listCatalog(
  { builtin, summaries, leftOut }: CatalogFacts,
): readonly CatalogPlugin[] {
  const plugins = [
    ...builtin.map(({ id, plugin, isDisabled }): CatalogPlugin => ({
      ...plugin === null
        ? { ...NOTHING, id }
        : describe(plugin, summaries.find((each) => each.plugin.id === id)),
      source: { kind: "built-in" },
      state: isDisabled ? "disabled" : "enabled",
    })),
    ...summaries.flatMap((summary): readonly CatalogPlugin[] =>
      summary.external === undefined ? [] : [{
        ...describe(summary.plugin, summary),
        source: { kind: "external", label: summary.external.label },
        state: "enabled",
      }]
    ),
    ...leftOut.map(({ request, plugin, failure }): CatalogPlugin => ({
      ...plugin === undefined ? { ...NOTHING, id: request.entry } : describe(plugin, undefined),
      source: { kind: "external", label: request.label },
      state: failure === undefined ? "disabled" : "failed",
      ...failure === undefined ? {} : { failure },
    })),
  ];
  return plugins.sort((a, b) => a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

const NOTHING = { categories: [], tools: [], commands: [], providers: [] } as const;

function describe(
  { id, name, version, description, categories = [] }: Plugin,
  summary: PluginSummary | undefined,
): Omit<CatalogPlugin, "source" | "state"> {
  const providers = summary?.providers ?? [];
  const all: readonly string[] = providers.length === 0
    ? categories
    : ["model-provider", ...categories];
  return {
    id,
    version,
    ...name === undefined ? {} : { name },
    ...description === undefined ? {} : { description },
    categories: [...new Set(all)],
    tools: summary?.tools ?? [],
    commands: summary?.commands.map((command) => command.name) ?? [],
    providers,
  };
}
