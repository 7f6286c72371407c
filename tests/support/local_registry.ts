/**
 * The packages of this repository, served as the JSR registry serves them, from this machine.
 *
 * @module
 */
import { join } from "node:path";
import { ROOT } from "./paths.ts";

/** A registry that runs. */
export interface LocalRegistry extends AsyncDisposable {
  /** Its address, as `JSR_URL` takes it. */
  readonly url: string;
}

interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string>>;
  /** Content by path, beginning with a slash. */
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
}

/** What `deno publish` leaves out, as far as a program could miss it. */
const PUBLISHED_REGEXP = /^(?:cli|mod)\.ts$|^(?:cli|core|tools|plugins)\/.*\.ts$|^deno\.json$/;

/** Serves `@alisio/cli` and `@alisio/sdk` as they are in the working tree. */
export async function startRegistry(): Promise<LocalRegistry> {
  const packages = await Promise.all([
    packageOf(ROOT, (path) => PUBLISHED_REGEXP.test(path)),
    packageOf(join(ROOT, "sdk"), () => true),
  ]);
  const answers = new Map<string, Uint8Array<ArrayBuffer> | string>();
  for (const { name, version, exports, files } of packages) {
    const manifest: Record<string, { size: number; checksum: string }> = {};
    for (const [path, content] of files) {
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content)).toHex();
      manifest[path] = { size: content.length, checksum: `sha256-${digest}` };
      answers.set(`/${name}/${version}${path}`, content);
    }
    answers.set(`/${name}/meta.json`, JSON.stringify({ versions: { [version]: {} } }));
    answers.set(`/${name}/${version}_meta.json`, JSON.stringify({ manifest, exports }));
  }
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    const answer = answers.get(pathname);
    if (answer === undefined) return new Response(null, { status: 404 });
    const type = pathname.endsWith(".ts") ? "text/typescript" : "application/json";
    return new Response(answer, { headers: { "content-type": type } });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

async function packageOf(
  folder: string,
  isPublished: (path: string) => boolean,
): Promise<PublishedPackage> {
  const config = JSON.parse(await Deno.readTextFile(join(folder, "deno.json")));
  const { imports } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  const specifiers = { ...imports, "@alisio/sdk": `jsr:@alisio/sdk@${config.version}` };
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const path of (await trackedFiles(folder)).filter(isPublished)) {
    const text = withFullSpecifiers(await Deno.readTextFile(join(folder, path)), specifiers);
    files.set(`/${path}`, new TextEncoder().encode(text));
  }
  const exports = typeof config.exports === "string" ? { ".": config.exports } : config.exports;
  return { name: config.name, version: config.version, exports, files };
}

async function trackedFiles(folder: string): Promise<readonly string[]> {
  const { stdout } = await new Deno.Command("git", {
    args: ["ls-files", "--cached", "--others", "--exclude-standard"],
    cwd: folder,
  }).output();
  return new TextDecoder().decode(stdout).split("\n").filter((path) => path !== "");
}

/** Publishing replaces what only the import map knows. */
function withFullSpecifiers(
  source: string,
  specifiers: Readonly<Record<string, string>>,
): string {
  return source.replaceAll(
    /(\bfrom |\bimport |\bimport\()"([^"./][^":]*)"/g,
    (whole, start, specifier) => {
      for (const [name, target] of Object.entries(specifiers)) {
        if (specifier === name || specifier.startsWith(`${name}/`)) {
          return `${start}"${target}${specifier.slice(name.length)}"`;
        }
      }
      return whole;
    },
  );
}

/**
 * Gives a fresh cache the packages of the usual one, so that nothing is fetched from npm.
 *
 * @param cache The new `DENO_DIR`.
 */
export async function linkPackages(cache: string): Promise<void> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { npmCache } = JSON.parse(new TextDecoder().decode(stdout));
  await Deno.mkdir(cache, { recursive: true });
  await Deno.symlink(npmCache, join(cache, "npm"));
}
