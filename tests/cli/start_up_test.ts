import assert from "node:assert/strict";
import { join } from "node:path";
import { DENO, ROOT } from "../support/paths.ts";

/** What of `deno info --json` is looked at. */
interface Graph {
  readonly roots: readonly string[];
  readonly redirects: Readonly<Record<string, string>>;
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly {
      readonly isDynamic?: boolean;
      readonly code?: { readonly specifier?: string };
    }[];
  }[];
}

// Each module of the agent takes about 0.15 ms of every start, whatever the run is about.
for (
  const [entry, most] of [["cli/agent.ts", 172], ["cli/launcher.ts", 39], ["cli.ts", 2], [
    "cli/screen_entry.ts",
    24,
  ]] as const
) {
  Deno.test(`${entry} loads at most ${most} modules before it starts`, async () => {
    const modules = await staticModules(entry);
    assert.ok(
      modules.length <= most,
      `${entry} imports ${modules.length} modules in a static way, the limit is ${most}: load what ` +
        "a plain run does not need before its first request with import(), list it in " +
        "AGENT_MODULES of cli/launcher.ts, and raise this limit only for what every run needs.\n" +
        modules.join("\n"),
    );
  });
}

Deno.test("cli/agent.ts loads nothing before it starts that few runs need", async () => {
  const seldom = [
    /^cli\/(?:talk|doctor|sessions|plugins|trust|audit|setup|help|resume)/,
    /^core\/gate\/(?:approval\/approval_desk|active_agent|profile\/(?!names_profile))/,
    /^core\/(?:sandbox\/|plugins\/(?:load_plugins|install\/))/,
    /^core\/(?:run\/(?:cost_meter|tool_receipts)|context\/(?:nested|instruction_text))/,
    /^tools\/(?!standard_tools|tool_definitions)/,
    /^plugins\/(?!openai_compatible\/)/,
  ];
  const modules = await staticModules("cli/agent.ts");
  assert.deepEqual(modules.filter((path) => seldom.some((each) => each.test(path))), []);
});

/** Paths of what is loaded together with a module, itself included. */
async function staticModules(entry: string): Promise<readonly string[]> {
  const { stdout, success } = await new Deno.Command(DENO, {
    args: ["info", "--json", "--config", join(ROOT, "deno.json"), join(ROOT, entry)],
    stderr: "inherit",
  }).output();
  assert.ok(success);
  const { roots, modules, redirects }: Graph = JSON.parse(new TextDecoder().decode(stdout));
  const imports = new Map(modules.map((module) => [
    module.specifier,
    (module.dependencies ?? []).flatMap(({ isDynamic, code }) =>
      isDynamic === true || code?.specifier === undefined ? [] : [code.specifier]
    ),
  ]));
  const found = new Set(roots);
  // A set goes on with what is added to it meanwhile.
  for (const module of found) {
    for (const name of imports.get(module) ?? []) found.add(redirects[name] ?? name);
  }
  const root = new URL("../../", import.meta.url).href;
  return [...found].filter((module) => module.startsWith(root))
    .map((module) => module.slice(root.length)).sort();
}

Deno.test("plugins/memory/mod.ts loads little of the memory before there is anything to remember", async () => {
  const own = (await staticModules("plugins/memory/mod.ts"))
    .filter((path) => path.startsWith("plugins/"));
  assert.deepEqual(own.toSorted(), [
    "plugins/memory/memory_settings.ts",
    "plugins/memory/memory_tools.ts",
    "plugins/memory/mod.ts",
  ]);
});
