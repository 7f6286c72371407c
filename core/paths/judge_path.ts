import { isInside } from "./is_inside.ts";
import type { JudgedPath } from "./judged_path.ts";
import { basename, dirname, isAbsolute, join, relative, resolve } from "./path.ts";
import { PathError } from "./path_error.ts";
import { quotePath } from "./quote_path.ts";
import { classifyWindowsPath, type WindowsPathKind } from "./windows_path.ts";

/** What a path is judged against. */
export interface JudgePathOptions {
  /** Absolute path that relative ones start from; its real path is the first of `roots`. */
  readonly workspace: string;
  /** Real paths of the folders that tools may touch, the workspace first. */
  readonly roots: readonly string[];
  /**
   * Real paths that are closed whatever they lead to. Where this process may not look at them, the
   * name that was asked for is all that is said of a path in them.
   *
   * @default []
   */
  readonly closedPaths?: readonly string[];
  /**
   * Whose forbidden forms are refused.
   *
   * @default Deno.build.os
   */
  readonly platform?: typeof Deno.build.os;
}

/** Links that may be followed by hand; the kernel allows as many. */
const MAX_LINKS = 40;

const FORBIDDEN_FORMS: Readonly<Record<Exclude<WindowsPathKind, "plain">, string>> = {
  device: "it names a device",
  nt: "it is a path of the NT namespace",
  unc: "it names another computer",
  drive_relative: "it is relative to the current folder of a drive",
  stream: "it names an alternate data stream",
  trailing: "a name in it ends in a dot or space",
};

/**
 * Finds out where a path really leads and whether that is inside an allowed root. Follows every
 * symbolic link of the deepest existing parent, dangling links included, and changes nothing.
 *
 * A leading `~` is not expanded. A path that this process may not look up at all counts as
 * outside, under the name that it was asked for.
 *
 * @param requested The path as a tool call gave it.
 * @param options What it is judged against.
 * @throws {PathError} If the path is malformed, of a forbidden form, or cannot be followed.
 */
export async function judgePath(
  requested: string,
  options: JudgePathOptions,
): Promise<JudgedPath> {
  assertUsableForm(requested, options.platform ?? Deno.build.os);
  const absolute = resolve(options.workspace, requested);
  const { real, exists } = await followReadable(absolute, options);
  if (!exists && /^~(?:[/\\]|$)/.test(requested)) {
    throw new PathError(
      "home_not_expanded",
      `Cannot use path ${quotePath(requested)}: "~" is not expanded here; pass an absolute ` +
        `path, or ${quotePath(`./${requested}`)} for a folder that is really named "~"`,
    );
  }
  return { requested, absolute, real, exists, root: findRoot(real, options.roots) };
}

interface RealPath {
  readonly real: string;
  readonly exists: boolean;
}

function assertUsableForm(requested: string, platform: typeof Deno.build.os): void {
  if (requested === "") {
    throw new PathError("invalid_path", 'Path is empty: pass "." for the workspace');
  }
  if (requested.includes("\0") || !requested.isWellFormed()) {
    const what = requested.includes("\0") ? "a NUL character" : "half of a character";
    throw new PathError("invalid_path", `Cannot use path ${quotePath(requested)}: holds ${what}`);
  }
  if (platform !== "windows") return;
  const kind = classifyWindowsPath(requested);
  if (kind === "plain") return;
  throw new PathError(
    "forbidden_form",
    `Cannot use path ${quotePath(requested)}: ${FORBIDDEN_FORMS[kind]}; ` +
      "pass a path relative to the workspace, or an absolute one with a drive letter",
  );
}

/** Deepest of the roots that hold the path. */
function findRoot(real: string, roots: readonly string[]): string | null {
  let best: string | null = null;
  for (const root of roots) {
    if (isInside(real, root) && (best === null || root.length > best.length)) best = root;
  }
  return best;
}

async function followReadable(absolute: string, options: JudgePathOptions): Promise<RealPath> {
  try {
    return await follow(absolute, { linksLeft: MAX_LINKS });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw toPathError(error, absolute);
  }
  // The permissions of the process name real paths: a workspace that was reached through a link
  // is readable only under its real name.
  const workspace = options.roots[0];
  if (workspace !== undefined && isInside(absolute, options.workspace)) {
    const rebased = resolve(workspace, relative(options.workspace, absolute));
    if (rebased !== absolute) {
      return await followReadable(rebased, { ...options, workspace });
    }
  }
  const root = findRoot(absolute, options.roots);
  if (findRoot(absolute, options.closedPaths ?? []) !== null) {
    return { real: absolute, exists: false };
  }
  // Where a root is gone, what it lay in is all that is left to look at, which no flag allows.
  if (root === null || await lstatOrNull(root) === null) return { real: absolute, exists: false };
  throw new PathError(
    "path_unreadable",
    `Cannot look up path ${quotePath(absolute)}: the permission flags of this run do not allow it`,
  );
}

async function follow(path: string, budget: { linksLeft: number }): Promise<RealPath> {
  try {
    return { real: await Deno.realPath(path), exists: true };
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  const name = basename(path);
  const parent = await follow(dirname(path), budget);
  if (name === "..") return { real: dirname(parent.real), exists: false };
  const real = name === "." ? parent.real : join(parent.real, name);
  const info = parent.exists ? await lstatOrNull(real) : null;
  if (info === null) return { real, exists: false };
  if (!info.isSymlink) return { real, exists: true };
  if (budget.linksLeft-- <= 0) {
    throw new Deno.errors.FilesystemLoop("Too many levels of symbolic links");
  }
  const target = await Deno.readLink(real);
  // Not normalised: what ".." means behind a link is for the file system to say.
  return await follow(isAbsolute(target) ? target : `${parent.real}/${target}`, budget);
}

async function lstatOrNull(path: string): Promise<Deno.FileInfo | null> {
  try {
    return await Deno.lstat(path);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
}

function toPathError(error: unknown, absolute: string): unknown {
  if (error instanceof PathError) return error;
  const quoted = quotePath(absolute);
  if (error instanceof Deno.errors.FilesystemLoop) {
    return new PathError(
      "path_loop",
      `Cannot follow path ${quoted}: its symbolic links lead back to themselves`,
      { cause: error },
    );
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return new PathError(
      "path_unreadable",
      `Cannot follow path ${quoted}: permission to look into one of its folders is denied`,
      { cause: error },
    );
  }
  if (error instanceof Error && "code" in error && error.code === "ENAMETOOLONG") {
    return new PathError("path_too_long", `Cannot use path ${quoted}: it is too long`, {
      cause: error,
    });
  }
  return error;
}
