/**
 * The few functions of `node:path` that Alisio uses, for POSIX paths as they are defined there.
 * Loading `node:path` starts a part of the runtime's Node layer and takes about 5 ms, twice in
 * every run: in the launcher and in the agent. On Windows it is loaded all the same.
 *
 * @module
 */

/** What this module offers. */
interface PathFunctions {
  basename(path: string): string;
  dirname(path: string): string;
  isAbsolute(path: string): boolean;
  join(...parts: string[]): string;
  relative(from: string, to: string): string;
  resolve(...parts: string[]): string;
  readonly sep: string;
  readonly delimiter: string;
}

/** The functions for POSIX paths; tests hold them against `node:path`. */
export const posixPath: PathFunctions = {
  sep: "/",
  delimiter: ":",
  isAbsolute: (path) => path.startsWith("/"),
  join(...parts) {
    const joined = parts.filter((part) => part !== "").join("/");
    return joined === "" ? "." : normalize(joined);
  },
  resolve(...parts) {
    let resolved = "";
    for (const part of parts.toReversed()) {
      if (part === "") continue;
      resolved = resolved === "" ? part : `${part}/${resolved}`;
      if (part.startsWith("/")) break;
    }
    if (!resolved.startsWith("/")) {
      resolved = resolved === "" ? Deno.cwd() : `${Deno.cwd()}/${resolved}`;
    }
    return `/${components(resolved, { isAbsolute: true }).join("/")}`;
  },
  dirname(path) {
    const end = withoutEndSlashes(path).lastIndexOf("/");
    if (end <= 0) return path.startsWith("/") ? "/" : ".";
    // Two slashes at the start are kept, as POSIX leaves their meaning to the system.
    return end === 1 && path.startsWith("/") ? "//" : path.slice(0, end);
  },
  basename(path) {
    const trimmed = withoutEndSlashes(path);
    return trimmed.slice(trimmed.lastIndexOf("/") + 1);
  },
  relative(from, to) {
    const start = components(posixPath.resolve(from), { isAbsolute: true });
    const end = components(posixPath.resolve(to), { isAbsolute: true });
    let common = 0;
    while (common < start.length && common < end.length && start[common] === end[common]) common++;
    return [...start.slice(common).map(() => ".."), ...end.slice(common)].join("/");
  },
};

const native: PathFunctions = Deno.build.os === "windows" ? await import("node:path") : posixPath;

/** Last part of a path. */
export const basename: PathFunctions["basename"] = native.basename;
/** A path without its last part. */
export const dirname: PathFunctions["dirname"] = native.dirname;
/** Whether a path does not depend on the current directory. */
export const isAbsolute: PathFunctions["isAbsolute"] = native.isAbsolute;
/** Joins parts to one normalised path. */
export const join: PathFunctions["join"] = native.join;
/** The way from one path to another. */
export const relative: PathFunctions["relative"] = native.relative;
/** Joins parts to one absolute, normalised path. */
export const resolve: PathFunctions["resolve"] = native.resolve;
/** What stands between parts of a path. */
export const sep: string = native.sep;
/** What stands between paths of a list. */
export const delimiter: string = native.delimiter;

function normalize(path: string): string {
  const isAbsolute = path.startsWith("/");
  const body = components(path, { isAbsolute }).join("/");
  const endSlash = path.endsWith("/") && body !== "" ? "/" : "";
  if (isAbsolute) return `/${body}${endSlash}`;
  if (body === "") return path.endsWith("/") ? "./" : ".";
  return body + endSlash;
}

function components(path: string, { isAbsolute }: { readonly isAbsolute: boolean }): string[] {
  const kept: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") kept.push(part);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!isAbsolute) kept.push(part);
  }
  return kept;
}

function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end--;
  return path.slice(0, end);
}
