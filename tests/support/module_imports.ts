import { relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ModuleImport } from "./layers.ts";
import { DENO } from "./paths.ts";
import { withTempDir } from "./temp.ts";

interface Resolution {
  readonly specifier?: string;
  readonly error?: string;
}

interface GraphModule {
  readonly specifier: string;
  readonly error?: string;
  readonly dependencies?: readonly {
    readonly specifier: string;
    readonly isDynamic?: boolean;
    readonly code?: Resolution;
    readonly type?: Resolution;
  }[];
}

/**
 * Lists the source files that Git knows or would add.
 *
 * @param root The repository.
 * @returns Paths relative to `root`.
 */
export async function listSourceFiles(root: string): Promise<readonly string[]> {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const stdout = await outputOf("git", args, root);
  const names = stdout.split("\0").filter((name) => /\.(?:[cm]?[jt]s|[jt]sx)$/.test(name));
  const present = await Promise.all(
    names.map((name) => Deno.stat(`${root}/${name}`).then(() => true, () => false)),
  );
  return names.filter((_, index) => present[index]);
}

/**
 * Reads every import of the given modules: static, dynamic with a literal, re-export, `import type`
 * and `import("…")` types.
 *
 * The runtime's own parser answers (`deno info`), not a pattern over the text, so comments,
 * strings and templates cannot mislead it, and import maps are followed as they are at run time.
 * Nothing is downloaded.
 *
 * @param root The repository; its `deno.json` is the one that counts.
 * @param files Paths relative to `root`.
 * @throws {Error} If a file cannot be parsed or an import of it cannot be resolved.
 */
export async function readModuleImports(
  root: string,
  files: readonly string[],
): Promise<readonly ModuleImport[]> {
  const urls = new Map(files.map((file) => [pathToFileURL(`${root}/${file}`).href, file]));
  const modules = await withTempDir(async (dir) => {
    const entry = `${dir}/entry.ts`;
    const lines = [...urls.keys()].map((url) => `import ${JSON.stringify(url)};`);
    await Deno.writeTextFile(entry, lines.join("\n"));
    const offline = ["--no-npm", "--no-remote", "--no-lock"];
    const config = ["--config", `${root}/deno.json`];
    const stdout = await outputOf(DENO, ["info", "--json", ...offline, ...config, entry], dir);
    return (JSON.parse(stdout) as { readonly modules: readonly GraphModule[] }).modules;
  });
  return modules.flatMap((module) => {
    const from = urls.get(module.specifier);
    return from === undefined ? [] : importsOf(module, from, root);
  });
}

function importsOf(module: GraphModule, from: string, root: string): readonly ModuleImport[] {
  if (module.error !== undefined) throw new Error(`Cannot parse "${from}": ${module.error}`);
  return (module.dependencies ?? []).map(({ specifier, isDynamic, code, type }) => {
    const found = code ?? type;
    if (found?.specifier === undefined) {
      throw new Error(`Cannot resolve "${specifier}" in "${from}": ${found?.error}`);
    }
    const kind = code === undefined ? "type" : isDynamic === true ? "dynamic" : "static";
    return { from, specifier, target: targetOf(found.specifier, root), kind };
  });
}

function targetOf(specifier: string, root: string): string {
  if (!specifier.startsWith("file:")) return specifier;
  const path = relative(root, fileURLToPath(specifier)).replaceAll("\\", "/");
  return path.startsWith("../") ? specifier : path;
}

async function outputOf(command: string, args: string[], cwd: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args,
    cwd,
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) {
    const reason = new TextDecoder().decode(stderr).slice(0, 2000);
    throw new Error(`Cannot run "${command} ${args[0]}": ${reason}`);
  }
  return new TextDecoder().decode(stdout);
}
