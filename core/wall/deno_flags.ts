import { AlisioError } from "../errors.ts";
import type { Ceiling, Scope } from "./ceiling.ts";

const ADDRESS_REGEXP = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}$/;

/**
 * The permission flags that hold a process to a ceiling, for `deno run`.
 *
 * Code is loaded from the program itself, from folders that may be read, and from packages that
 * are in the cache already: without that, importing a module would reach hosts that `net` excludes,
 * because the runtime does not count the registry of npm and some well-known hosts as network.
 *
 * @param ceiling The most that may be permitted.
 * @param main Address of the main module.
 * @throws {AlisioError} `usage` if a path or host cannot be written as a flag.
 */
export function denoFlags(ceiling: Ceiling, main: string): readonly string[] {
  return [
    "--no-prompt",
    "--cached-only",
    importFlag(main),
    "--deny-ffi",
    "--allow-env",
    ...ceiling.hiddenEnv.length === 0 ? [] : [`--ignore-env=${ceiling.hiddenEnv.join(",")}`],
    ...scopeFlags("--allow-sys", ceiling.sys),
    ...scopeFlags("--allow-read", pathScope(ceiling.read)),
    ...scopeFlags("--deny-read", pathScope(ceiling.denyRead)),
    ...scopeFlags("--allow-write", pathScope(ceiling.write)),
    ...scopeFlags("--deny-write", pathScope(ceiling.denyWrite)),
    ...scopeFlags("--allow-run", pathScope(ceiling.run)),
    ...scopeFlags("--allow-net", hostScope(ceiling.net)),
  ];
}

/**
 * The flag that says where code may be imported from: for a program that came from a server, that
 * server alone, which it needs even to load itself from the cache.
 *
 * @param main Address of the main module.
 */
export function importFlag(main: string): string {
  const { protocol, hostname, port } = new URL(main);
  if (protocol !== "http:" && protocol !== "https:") return "--deny-import";
  return `--allow-import=${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
}

function scopeFlags(flag: string, scope: Scope): readonly string[] {
  if (scope === "all") return [flag];
  return scope.length === 0 ? [] : [`${flag}=${scope.join(",")}`];
}

function pathScope(scope: Scope): Scope {
  if (scope === "all") return scope;
  for (const path of scope) {
    const flaw = path.includes(",")
      ? "a comma, which separates paths there"
      : path.includes("\0")
      ? "a NUL character"
      : /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path)
      ? null
      : "a relative path, which means nothing there";
    if (flaw === null) continue;
    throw new AlisioError(
      "usage",
      `Cannot limit this run to path ${quoted(path)}: a permission flag cannot hold ${flaw}; ` +
        "rename it, or run again with --no-second-wall",
    );
  }
  return scope;
}

function hostScope(scope: Scope): Scope {
  if (scope === "all") return scope;
  for (const address of scope) {
    if (ADDRESS_REGEXP.test(address)) continue;
    throw new AlisioError(
      "usage",
      `Cannot limit this run to host ${quoted(address)}: a host and a port are needed; ` +
        "correct its address",
    );
  }
  return scope;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
