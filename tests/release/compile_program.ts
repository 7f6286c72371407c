import { join } from "node:path";
import { listSourceFiles } from "../support/module_imports.ts";
import { DENO, ROOT } from "../support/paths.ts";
import { streamProcess } from "../support/stream_process.ts";
import { binaryName, type Target } from "./targets.ts";

/** What is compiled, and where to. */
export interface CompileOptions {
  /** The systems. */
  readonly targets: readonly Target[];
  /** The folder; made if need be. */
  readonly folder: string;
  /**
   * Paths of runtimes that binaries are made from.
   *
   * @default The one that `DENORT_BIN` names, or else those that the runtime downloads and keeps.
   */
  readonly runtimes?: Readonly<Partial<Record<Target, string>>>;
  /** Is told of each binary that is ready. */
  readonly onCompiled?: (path: string) => void;
}

const COMPILE_TIMEOUT_MS = 10 * 60_000;

/**
 * Modules that a binary holds: all of the program. Some are imported by a computed name, which the
 * compiler does not look through.
 */
export async function programModules(): Promise<readonly string[]> {
  const files = await listSourceFiles(ROOT);
  return files.filter((file) => /^(?:cli|core|plugins|tools|tui)\/.*\.ts$/.test(file));
}

/**
 * Compiles one binary for each system, and writes the checksums of all of them to `SHA256SUMS`.
 *
 * @param options What and where to.
 * @throws {Error} If a binary cannot be made.
 */
export async function compileProgram(
  { targets, folder, runtimes = {}, onCompiled }: CompileOptions,
): Promise<void> {
  const modules = await programModules();
  await Deno.mkdir(folder, { recursive: true });
  for (const target of targets) {
    const path = join(folder, binaryName(target));
    // The compiler replaces nothing that it does not know for one of its own.
    await Deno.remove(path).catch(() => {});
    const runtime = runtimes[target];
    const run = await streamProcess(DENO, [
      ...["compile", "-A", "--no-prompt", "--no-check", "--frozen", "--exclude-unused-npm"],
      ...["--target", target, "--output", path],
      ...modules.flatMap((module) => ["--include", module]),
      "cli.ts",
    ], {
      cwd: ROOT,
      timeoutMs: COMPILE_TIMEOUT_MS,
      show: "nothing",
      ...(runtime === undefined ? {} : { env: { DENORT_BIN: runtime } }),
    });
    if (run.code !== 0) {
      // Before its errors the compiler lists what it embeds.
      const reason = run.stderrTail.slice(Math.max(0, run.stderrTail.lastIndexOf("error: ")));
      throw new Error(`Cannot compile for ${target}: ${reason.trim().slice(0, 2_000)}`);
    }
    onCompiled?.(path);
  }
  await Deno.writeTextFile(
    join(folder, "SHA256SUMS"),
    await checksums(folder, targets.map(binaryName)),
  );
}

/** In the form that `sha256sum --check` reads. */
async function checksums(folder: string, names: readonly string[]): Promise<string> {
  const lines = await Promise.all(names.map(async (name) => {
    const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(join(folder, name)));
    return `${new Uint8Array(digest).toHex()}  ${name}\n`;
  }));
  return lines.join("");
}
