import { createRequire, registerHooks, stripTypeScriptTypes } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as sdk from "@alisio/sdk";
import { errorMessage } from "../errors.ts";
import { basename } from "../paths/path.ts";
import { packageJsonOf } from "./package_json.ts";
import { isModuleFile } from "./plugin_entry.ts";
import { findRequired, resolveModule } from "./resolve_module.ts";

/** How the modules of plugins are found and read, until it is closed. */
export interface ModuleHooks {
  /**
   * Makes a module one of a plugin's, and with it everything that it imports.
   *
   * @param path Real path of the module.
   * @param plugin What the plugin is called in messages.
   * @returns The address to import it by.
   */
  own(path: string, plugin: string): string;
  /**
   * The plugin that a module is one of; of several, the first that imported it.
   *
   * @param url Its address.
   */
  ownerOf(url: string): string | undefined;
  /** Leaves the module loader as it was. */
  close(): void;
}

/** What the loader passes on, as far as it matters here. */
interface HookContext {
  readonly parentURL?: string | undefined;
  readonly conditions: readonly string[];
}

interface Resolved {
  readonly url: string;
  readonly format?: string | null | undefined;
  readonly shortCircuit?: boolean | undefined;
}

interface Loaded {
  readonly format: string;
  readonly source: string;
  readonly shortCircuit: true;
}

/** A module of a plugin. */
interface OwnedModule {
  /** The plugin, as messages call it. */
  readonly plugin: string;
  /** Real path of the file. */
  readonly path: string;
}

type OwnedModules = Map<string, OwnedModule>;

/** Every module of a plugin. Shared by the whole process, as modules themselves are. */
const OWNED: OwnedModules = new Map();

/**
 * Added to the address of what is no longer what its name says when the runtime is given it.
 * TypeScript would be translated once more, and behind the rules for the kernel the runtime tries in
 * vain to keep the result, which takes it 150 ms. In CommonJS the runtime would look for the packages
 * that it hands on, and finds none of a plugin's.
 */
const STRIPPED_ENDING = ".stripped.mjs";

/**
 * A text of the runtime's, with modules under the names that they have.
 *
 * @param text Such as the stack of an error.
 */
export function withOwnNames(text: string): string {
  return text.replaceAll(STRIPPED_ENDING, "");
}

/** Where modules without a file of their own pretend to lie. */
const SDK_MODULE = "file:///alisio-sdk/mod.mjs";
const SDK_COMMON = "file:///alisio-sdk/mod.cjs";

/** The contract, however a plugin spells the package that it comes from. */
const SDK_REGEXP = /^(?:(?:jsr|npm):\/?)?@alisio\/sdk(?:@[\w.^~<>=*+-]+)?$/;

/** Under this name the generated modules find what the host itself imported. */
const SDK_SYMBOL = Symbol.for("@alisio/sdk");

/**
 * Teaches the module loader what plugins need: `@alisio/sdk` is the host's own module, wherever
 * either comes from, packages are found in the plugin's own `node_modules`, types are stripped from
 * TypeScript, and CommonJS can be imported. Other modules are left to the loader.
 */
export function installModuleHooks(): ModuleHooks {
  Object.defineProperty(globalThis, SDK_SYMBOL, { value: sdk, configurable: true });
  const hooks = registerHooks({
    resolve: (specifier, context, next) => resolve(specifier, context, next, OWNED),
    load(url, context, next) {
      if (context.conditions.includes("require")) return loadRequired(url) ?? next(url, context);
      // Some of the runtime's own are not there until somebody asks for them.
      if (url.startsWith("node:")) return next(url, context);
      // Without a source the runtime reads the module by itself, and finds it translated. What
      // `next` returns would be translated once more, and replace that for other runs.
      return loadModule(url, OWNED) ?? { format: null, shortCircuit: true };
    },
  });
  return {
    own: (path, plugin) => own(pathToFileURL(path), { path, plugin }, OWNED),
    ownerOf: (url) => OWNED.get(url)?.plugin,
    close: () => hooks.deregister(),
  };
}

function resolve<C extends HookContext, R extends Resolved>(
  specifier: string,
  context: C,
  next: (specifier: string, context: C) => R,
  owned: OwnedModules,
): R | Resolved {
  const importer = owned.get(context.parentURL ?? "");
  if (importer === undefined) return next(specifier, context);
  const { conditions } = context;
  const isRequired = conditions.includes("require");
  if (SDK_REGEXP.test(specifier)) {
    return isRequired
      ? { url: SDK_COMMON, format: "commonjs", shortCircuit: true }
      : { url: SDK_MODULE, format: "module", shortCircuit: true };
  }
  const parent = pathToFileURL(importer.path).href;
  if (isRequired) {
    // The loader knows what CommonJS adds to a name. It only may not look for a package: on its way
    // up it would stop at the first folder that this run may not read.
    const found = findRequired(specifier, parent, conditions);
    const resolved = next(found ?? specifier, context);
    if (resolved.url.startsWith("file:") && !owned.has(resolved.url)) {
      owned.set(resolved.url, { ...importer, path: fileURLToPath(resolved.url) });
    }
    return resolved;
  }
  const url = resolveModule(specifier, parent, conditions);
  if (url === null) return next(specifier, context);
  if (url.startsWith("node:")) return { url, format: "builtin", shortCircuit: true };
  const { plugin } = importer;
  return {
    url: own(new URL(url), { plugin, path: fileURLToPath(url) }, owned),
    shortCircuit: true,
  };
}

/** Answers the address that a module goes by. */
function own(url: URL, module: OwnedModule, owned: OwnedModules): string {
  if (isTypeScriptModule(module.path) || isNamedCommonJs(module.path)) {
    url.pathname += STRIPPED_ENDING;
  }
  if (!owned.has(url.href)) owned.set(url.href, module);
  return url.href;
}

function isNamedCommonJs(path: string): boolean {
  return /\.c[jt]s$/.test(path);
}

function isTypeScriptModule(path: string): boolean {
  return /\.m?ts$/.test(path);
}

/**
 * Null for what the runtime reads by itself. Where there are hooks, it takes whatever it reads for a
 * program.
 *
 * @throws {TypeError} If it is machine code.
 */
function loadRequired(url: string): Loaded | null {
  if (url === SDK_COMMON) return sdkCommon();
  if (!url.startsWith("file:")) return null;
  const path = fileURLToPath(url);
  if (path.endsWith(".node")) {
    throw new TypeError(`Cannot load "${basename(path)}": a plugin cannot bring machine code`);
  }
  if (!path.endsWith(".json")) return null;
  const source = Deno.readTextFileSync(path).replace(/^\ufeff/, "");
  return { format: "json", source, shortCircuit: true };
}

/** Null for what the runtime reads by itself. */
function loadModule(url: string, owned: OwnedModules): Loaded | null {
  if (url === SDK_MODULE) return sdkModule();
  const module = owned.get(url);
  if (module === undefined || !isModuleFile(module.path)) return null;
  const { path } = module;
  const source = Deno.readTextFileSync(path);
  if (isTypeScriptModule(path)) return typeScriptModule(source, path);
  return isCommonJs(path, source) ? commonJsModule(url, path) : asModule(source);
}

/** What the module knows of itself is put right, on the line of its first words. */
function typeScriptModule(source: string, path: string): Loaded {
  const stripped = withoutTypes(source.replace(/^#!.*/, ""), path);
  const self = { url: pathToFileURL(path).href, filename: path };
  return asModule(`Object.assign(import.meta, ${JSON.stringify(self)}); ${stripped}`);
}

function sdkModule(): Loaded {
  return asModule(
    `const sdk = globalThis[Symbol.for("@alisio/sdk")];\n` +
      `export const { ${Object.keys(sdk).join(", ")} } = sdk;\n`,
  );
}

function sdkCommon(): Loaded {
  return {
    format: "commonjs",
    source: `module.exports = globalThis[Symbol.for("@alisio/sdk")];\n`,
    shortCircuit: true,
  };
}

/**
 * Runs a CommonJS module, because only then its names are known, and generates a module that hands
 * them on. The runtime keeps what ran, so it runs once.
 */
function commonJsModule(url: string, path: string): Loaded {
  const exported = runCommonJs(url, path);
  const isNamed = (typeof exported === "object" && exported !== null) ||
    typeof exported === "function";
  const names = isNamed ? Object.keys(exported).filter((name) => name !== "default") : [];
  return asModule([
    `import { createRequire } from "node:module";`,
    `const exported = createRequire(import.meta.url)(${JSON.stringify(path)});`,
    `export default exported;`,
    ...names.map((name, index) =>
      `const $${index} = exported[${JSON.stringify(name)}]; ` +
      `export { $${index} as ${JSON.stringify(name)} };`
    ),
  ].join("\n"));
}

/** What cannot be read names no file, nor does the runtime. */
function runCommonJs(url: string, path: string): unknown {
  try {
    return createRequire(url)(path);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const place = `in "${basename(path)}", or in what it requires`;
    throw new SyntaxError(`${errorMessage(error)}, ${place}`, { cause: error });
  }
}

/** By its name, by its package, and where neither tells, by its syntax. */
function isCommonJs(path: string, source: string): boolean {
  if (isNamedCommonJs(path)) return true;
  if (!path.endsWith(".js")) return false;
  const type = packageJsonOf(path)?.type;
  if (type === "module") return false;
  if (type === "commonjs") return true;
  try {
    // Compiled and not run: what imports, exports or awaits at its top level is no function.
    Reflect.construct(Function, ["exports", "require", "module", source.replace(/^#!.*/, "")]);
    return true;
  } catch {
    return false;
  }
}

/** Types only are taken out, which keeps every line in its place; what has to be rewritten is. */
function withoutTypes(source: string, path: string): string {
  try {
    return stripTypeScriptTypes(source, { mode: "strip" });
  } catch {
    try {
      return stripTypeScriptTypes(source, { mode: "transform" });
    } catch (error) {
      throw new SyntaxError(`Cannot read "${basename(path)}": ${placeOf(error)}`, { cause: error });
    }
  }
}

/** What is wrong and where, on one line: the runtime draws the place and names no file. */
function placeOf(error: unknown): string {
  const text = errorMessage(error);
  const [, line, column] = /:(\d+):(\d+)\s*$/.exec(text) ?? [];
  const reason = text.split("\n", 1)[0]?.replace(/^SyntaxError: /, "") ?? "";
  return line === undefined ? reason : `line ${line}, column ${column}: ${reason}`;
}

function asModule(source: string): Loaded {
  return { format: "module", source, shortCircuit: true };
}
