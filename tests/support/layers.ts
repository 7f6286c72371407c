/** One import of one module, whatever its form. */
export interface ModuleImport {
  /** Path of the importing module, relative to the repository root. */
  readonly from: string;
  /** As the source has it. */
  readonly specifier: string;
  /** Where it leads: a path relative to the repository root, or a specifier with a scheme. */
  readonly target: string;
  /** `type` imports leave nothing behind at run time; `dynamic` ones are `import(…)`. */
  readonly kind: "static" | "dynamic" | "type";
}

interface LayerRule {
  /** Layers that it may import. */
  readonly layers: readonly string[] | "all";
  /** Whether it may import packages from a registry. */
  readonly packages: boolean;
  /** Whether it may import `node:` modules. */
  readonly builtins: boolean;
}

const LAYER_RULES: Readonly<Record<string, LayerRule>> = {
  "sdk": { layers: ["sdk"], packages: false, builtins: false },
  /** Runs in the tests of plugins alone: no program and no plugin loads it. */
  "sdk/testing": { layers: ["sdk/testing", "sdk"], packages: false, builtins: true },
  "core": { layers: ["core", "sdk"], packages: false, builtins: true },
  "tools": { layers: ["tools", "core", "sdk"], packages: true, builtins: true },
  "plugins": { layers: ["sdk"], packages: true, builtins: true },
  "tui": { layers: ["tui", "core", "sdk"], packages: true, builtins: true },
  "web": { layers: ["web", "core", "sdk"], packages: true, builtins: true },
  "cli": { layers: "all", packages: true, builtins: true },
  "cli.ts": { layers: "all", packages: true, builtins: true },
  "mod.ts": { layers: ["core", "tools", "sdk"], packages: false, builtins: false },
  "examples": {
    layers: ["examples", "mod.ts", "sdk", "sdk/testing"],
    packages: true,
    builtins: true,
  },
  "tests": { layers: "all", packages: true, builtins: true },
};

/** How the two parts of the contract are imported from outside of it. */
const SDK_SPECIFIERS: Readonly<Record<string, string>> = {
  "sdk": "@alisio/sdk",
  "sdk/testing": "@alisio/sdk/testing",
};

/** Each costs more than 10 ms to load, on every command that reaches it. */
const SLOW_BUILTINS: readonly string[] = ["node:crypto", "node:process"];

const PINNED_REGEXP =
  /^npm:(?:@[a-z0-9._-]+\/)?[a-z0-9._-]+@\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\/[\w./-]+)?$/;

/**
 * Holds imports against the layer table.
 *
 * @param imports Every import of the repository.
 * @returns One sentence for each violation, in the order of the imports.
 */
export function findLayerViolations(imports: readonly ModuleImport[]): readonly string[] {
  const violations = imports.flatMap((edge) => {
    const reason = violationOf(edge);
    return reason === undefined ? [] : [`${edge.from} imports "${edge.specifier}": ${reason}`];
  });
  return [...violations, ...findSharedPackages(imports)];
}

/**
 * Finds entries of an import map that name no exact version.
 *
 * @param importMap The `imports` of a `deno.json`.
 * @returns The names of the offending entries.
 */
export function findUnpinnedPackages(importMap: Readonly<Record<string, string>>): string[] {
  return Object.entries(importMap)
    .filter(([, target]) => !target.startsWith("./") && !PINNED_REGEXP.test(target))
    .map(([name]) => name);
}

/**
 * Finds what a module loads before its first line runs: everything it reaches without `import()`.
 *
 * @param imports Every import of the repository.
 * @param root The module to start from, relative to the repository root.
 * @returns Targets outside the repository (packages, built-ins), each with the module that wants it.
 */
export function findEagerExternals(
  imports: readonly ModuleImport[],
  root: string,
): readonly ModuleImport[] {
  const reached = new Set([root]);
  const externals: ModuleImport[] = [];
  for (const path of reached) {
    for (const edge of imports) {
      if (edge.from !== path || edge.kind !== "static") continue;
      if (hasScheme(edge.target)) externals.push(edge);
      else reached.add(edge.target);
    }
  }
  return externals;
}

function violationOf(edge: ModuleImport): string | undefined {
  const layer = layerOf(edge.from);
  const rule = LAYER_RULES[layer];
  if (rule === undefined) return `"${layer}" is not a layer`;
  if (/^(?:jsr|https?|data|blob):/.test(edge.target)) {
    return "remote modules cannot be pinned and locked here";
  }
  if (edge.specifier.startsWith("npm:")) {
    return "packages are named and pinned in the import map of deno.json";
  }
  if (edge.target.startsWith("npm:")) {
    return rule.packages ? undefined : `${layer} may not import registry packages`;
  }
  if (edge.target.startsWith("node:")) return builtinViolation(edge, layer, rule);
  if (hasScheme(edge.target)) return "it leads outside the repository";
  return pathViolation(edge, layer, rule);
}

function builtinViolation(edge: ModuleImport, layer: string, rule: LayerRule): string | undefined {
  if (!rule.builtins) return `${layer} may not import built-in modules`;
  const slow = SLOW_BUILTINS.includes(edge.target) && edge.kind === "static";
  return slow && layer !== "tests"
    ? "it is slow to load; use Deno or the web standards"
    : undefined;
}

function pathViolation(edge: ModuleImport, layer: string, rule: LayerRule): string | undefined {
  const target = layerOf(edge.target);
  if (target === "tests" && layer !== "tests") return "nothing that ships may import tests";
  if (layer === "tests") return undefined;
  const specifier = SDK_SPECIFIERS[target];
  const isOutside = layer !== "sdk" && layer !== "sdk/testing";
  if (specifier !== undefined && isOutside && edge.specifier !== specifier) {
    return `the contract is imported as "${specifier}"`;
  }
  if (layer === "plugins" && target === "plugins") {
    return unitOf(edge.from) === unitOf(edge.target)
      ? undefined
      : "a plugin may not import another plugin";
  }
  if (target === "sdk/testing" && !rule.layers.includes(target)) {
    return "only tests and examples may import what is for tests";
  }
  return rule.layers === "all" || rule.layers.includes(target)
    ? undefined
    : `${layer} may not import ${target}`;
}

function findSharedPackages(imports: readonly ModuleImport[]): readonly string[] {
  const units = new Map<string, Set<string>>();
  for (const { from, target } of imports) {
    if (!target.startsWith("npm:") || layerOf(from) === "tests") continue;
    const name = packageName(target);
    units.set(name, (units.get(name) ?? new Set()).add(unitOf(from)));
  }
  return [...units].filter(([, folders]) => folders.size > 1).map(([name, folders]) =>
    `Package "${name}" is imported in ${[...folders].sort().join(" and ")}: one folder owns it`
  );
}

function layerOf(path: string): string {
  if (/^sdk\/testing(?:\/|\.ts$)/.test(path)) return "sdk/testing";
  return path.split("/")[0] ?? path;
}

/** The folder that may own a package: a plugin, a folder of tools, or a layer. */
function unitOf(path: string): string {
  const parts = path.split("/");
  const depth = /^(?:plugins|tools|examples)$/.test(parts[0] ?? "") && parts.length > 2 ? 2 : 1;
  return parts.slice(0, depth).join("/");
}

function packageName(target: string): string {
  return /^npm:\/?((?:@[^/]+\/)?[^@/]+)/.exec(target)?.[1] ?? target;
}

function hasScheme(target: string): boolean {
  return /^[a-z]+:/.test(target);
}
