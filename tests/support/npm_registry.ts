/**
 * Packages served as npm's registry serves them, from this machine.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { buildTarball } from "./tarball.ts";

/** A package that the registry has. */
export interface ServedPackage {
  /** Its `package.json`; with `name` and `version`. */
  readonly manifest: Readonly<Record<string, unknown>> & {
    readonly name: string;
    readonly version: string;
  };
  /**
   * Its other files: content by path.
   *
   * @default {}
   */
  readonly files?: Readonly<Record<string, string>>;
}

/** A registry that runs. */
export interface NpmRegistry extends AsyncDisposable {
  /** Its address, as `npm_config_registry` takes it. */
  readonly url: string;
  /** Paths that were asked for, in order. */
  readonly requests: readonly string[];
  /**
   * Adds versions of packages; the last one added is the latest.
   *
   * @param packages The packages.
   */
  add(...packages: readonly ServedPackage[]): Promise<void>;
  /**
   * Leaves every request for a tarball without an answer from now on.
   *
   * @returns Settles when one has arrived.
   */
  stallTarballs(): Promise<void>;
}

interface Version {
  readonly manifest: ServedPackage["manifest"];
  readonly tarball: Uint8Array<ArrayBuffer>;
}

/**
 * Starts a registry.
 *
 * @param packages What it has from the start.
 */
export async function startNpmRegistry(
  packages: readonly ServedPackage[] = [],
): Promise<NpmRegistry> {
  const versions = new Map<string, Map<string, Version>>();
  const requests: string[] = [];
  const stall: { arrived?: () => void; readonly ended: AbortController } = {
    ended: new AbortController(),
  };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname, origin } = new URL(request.url);
      const path = decodeURIComponent(pathname);
      requests.push(path);
      const [, name = "", version] = /^\/((?:@[^/]+\/)?[^/]+)(?:\/-\/(.+)\.tgz)?$/.exec(path) ?? [];
      const found = versions.get(name);
      if (found === undefined) return Response.json({ error: "Not found" }, { status: 404 });
      if (version === undefined) return Response.json(metadata(name, found, origin));
      if (stall.arrived !== undefined) {
        stall.arrived();
        await new Promise((resolve) => stall.ended.signal.addEventListener("abort", resolve));
      }
      return new Response(found.get(version)?.tarball ?? null);
    },
  );
  const registry: NpmRegistry = {
    url: `http://127.0.0.1:${server.addr.port}/`,
    requests,
    async add(...added) {
      for (const { manifest, files = {} } of added) {
        const ofName = versions.get(manifest.name) ?? new Map<string, Version>();
        versions.set(manifest.name, ofName);
        ofName.delete(manifest.version);
        const tarball = await buildTarball([
          { path: "package/package.json", content: JSON.stringify(manifest) },
          ...Object.entries(files).map(([path, content]) => ({ path: `package/${path}`, content })),
        ]);
        ofName.set(manifest.version, { manifest, tarball });
      }
    },
    stallTarballs: () => new Promise((resolve) => stall.arrived = () => resolve()),
    async [Symbol.asyncDispose]() {
      stall.ended.abort();
      await server.shutdown();
    },
  };
  await registry.add(...packages);
  return registry;
}

function metadata(name: string, versions: ReadonlyMap<string, Version>, origin: string): unknown {
  return {
    name,
    "dist-tags": { latest: [...versions.keys()].at(-1) },
    versions: Object.fromEntries(
      [...versions].map(([version, { manifest, tarball }]) => [version, {
        ...manifest,
        ...(hasInstallScript(manifest) ? { hasInstallScript: true } : {}),
        dist: {
          tarball: `${origin}/${name}/-/${version}.tgz`,
          integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
          shasum: createHash("sha1").update(tarball).digest("hex"),
        },
      }]),
    ),
  };
}

function hasInstallScript({ scripts = {} }: ServedPackage["manifest"]): boolean {
  return ["preinstall", "install", "postinstall"].some((name) =>
    Object.hasOwn(scripts as object, name)
  );
}
