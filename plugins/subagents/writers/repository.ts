import { askGit, GitError, reasonOf, runGit, zeroParts } from "./git.ts";

/** A repository that worktrees can be made of. */
export interface Repository {
  /** Root of the working tree. */
  readonly top: string;
  /** The folder inside it, ending with a slash; empty at its root. */
  readonly prefix: string;
  /** The commit that worktrees begin with. */
  readonly head: string;
  /** Settings that keep filters from running. */
  readonly filters: readonly string[];
  /** What its user should know of a worktree. */
  readonly notes: readonly string[];
}

/** Whether worktrees can be made of the repository around a folder. */
export type RepositoryVerdict =
  | { readonly kind: "usable"; readonly repository: Repository }
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly reason: string };

const MAX_NAMED = 5;

/**
 * Looks at the repository around a folder.
 *
 * @param folder Real path.
 * @param options What stops it; a folder of worktrees that is none of its own files.
 * @throws {GitError} If Git fails in another way than by finding none.
 */
export async function lookAtRepository(
  folder: string,
  { signal, worktrees }: { readonly signal?: AbortSignal; readonly worktrees: string },
): Promise<RepositoryVerdict> {
  const options = signal === undefined ? {} : { signal };
  const found = await runGit(folder, [
    "rev-parse",
    "--is-bare-repository",
    "--is-inside-work-tree",
    "--absolute-git-dir",
    "--git-common-dir",
    "--show-toplevel",
  ], options);
  const [isBare, isInside, own = "", common = "", top = "", more] = found.stdout.trimEnd()
    .split("\n");
  if (isBare === "true" || isInside === "false") {
    return refused("the repository is a bare one, without files");
  }
  if (found.exitCode !== 0) {
    return /not a git repository/.test(found.stderr)
      ? { kind: "none" }
      : refused(`Git does not read the repository: ${found.stderr.trim().slice(0, 300)}`);
  }
  if (more !== undefined) return refused("the path of the repository holds a line end");
  const place = await placeProblem({ own, top, common: await real(folder, common) });
  if (place !== null) return refused(place);
  const head = await runGit(folder, ["rev-parse", "-q", "--verify", "HEAD^{commit}"], options);
  if (head.exitCode !== 0) return refused("the repository has no commit yet");
  const prefix = (await askGit(folder, ["rev-parse", "--show-prefix"], options)).trimEnd();
  if (prefix !== "") {
    const isThere = await runGit(folder, ["cat-file", "-e", `HEAD:${prefix}`], options);
    if (isThere.exitCode !== 0) return refused("the last commit does not hold this folder");
  }
  const drivers = await configured(folder, "filter", options);
  const notes = [
    ...await submoduleNotes(top, options),
    ...await filterNotes(top, drivers, options),
    ...(await changedFiles(top, { ...options, worktrees })).length === 0 ? [] : [
      "The main working tree has uncommitted changes, and the worktree does not contain them",
    ],
  ];
  return {
    kind: "usable",
    repository: { top, prefix, head: head.stdout.trim(), filters: withoutFilters(drivers), notes },
  };
}

/**
 * Files of a working tree that are not as its last commit has them. What Alisio keeps in it does not
 * count.
 *
 * @param top The root of the tree.
 * @param options What stops it; a folder of worktrees.
 */
export async function changedFiles(
  top: string,
  { signal, worktrees }: { readonly signal?: AbortSignal; readonly worktrees?: string } = {},
): Promise<readonly string[]> {
  const inside = worktrees?.startsWith(`${top}/`) === true
    ? [`:(exclude,top,literal)${worktrees.slice(top.length + 1)}`]
    : [];
  const options = signal === undefined ? {} : { signal };
  const outcome = await runGit(top, [
    "status",
    "--porcelain=v1",
    "-z",
    "--no-renames",
    "--untracked-files=normal",
    "--ignore-submodules=dirty",
    "--",
    ":(top)",
    ":(exclude,glob,top)**/.alisio/cache/**",
    ...inside,
  ], { ...options, settings: await filterSettings(top, options) });
  if (outcome.exitCode !== 0) throw new GitError(reasonOf(outcome));
  return zeroParts(outcome.stdout).map((record) => record.slice(3));
}

/**
 * Files that pass through a program of the configuration, when Git reads, writes or merges them.
 *
 * @param top The root of the tree.
 * @param paths Files below it.
 * @returns Such as `big.bin (filter lfs)`.
 */
export async function drivenFiles(
  top: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const filters = await configured(top, "filter");
  const merges = await configured(top, "merge");
  if (paths.length === 0 || filters.length + merges.length === 0) return [];
  const driven: string[] = [];
  for (let start = 0; start < paths.length; start += 200) {
    const some = paths.slice(start, start + 200);
    const output = await askGit(top, ["check-attr", "-z", "filter", "merge", "--", ...some]);
    const parts = zeroParts(output);
    for (let at = 0; at + 2 < parts.length; at += 3) {
      const [path = "", attribute = "", value = ""] = parts.slice(at, at + 3);
      const drivers = attribute === "filter" ? filters : merges;
      if (drivers.includes(value)) driven.push(`${path} (${attribute} ${value})`);
    }
  }
  return driven;
}

/**
 * Settings that keep every configured filter from running.
 *
 * @param folder Where Git reads its configuration.
 * @param options What stops it.
 */
export async function filterSettings(
  folder: string,
  options: { readonly signal?: AbortSignal } = {},
): Promise<readonly string[]> {
  return withoutFilters(await configured(folder, "filter", options));
}

/** Names that the configuration gives to programs for filtering or merging files. */
async function configured(
  folder: string,
  section: "filter" | "merge",
  options: { readonly signal?: AbortSignal } = {},
): Promise<readonly string[]> {
  const output = await askGit(folder, ["config", "--list", "--name-only", "-z"], options);
  const names = zeroParts(output).flatMap((key) => {
    const [, name] = /^(?:filter|merge)\.([^]+)\.[^.]+$/.exec(key) ?? [];
    return key.startsWith(`${section}.`) && name !== undefined ? [name] : [];
  });
  return [...new Set(names)];
}

function withoutFilters(drivers: readonly string[]): readonly string[] {
  return drivers.flatMap((name) => [
    `filter.${name}.clean=`,
    `filter.${name}.smudge=`,
    `filter.${name}.process=`,
    `filter.${name}.required=false`,
  ]);
}

/** What lies in the folder is not believed: a file `.git` can name any repository of the machine. */
async function placeProblem(
  { own, common, top }: { readonly own: string; readonly common: string; readonly top: string },
): Promise<string | null> {
  const elsewhere =
    "the repository keeps its data elsewhere, and no worktree is made of such a one";
  if (own === common) {
    if (common !== `${top}/.git`) return elsewhere;
  } else {
    const listed = await askGit(common, ["worktree", "list", "--porcelain"]);
    if (!listed.split("\n").includes(`worktree ${top}`)) return elsewhere;
  }
  return await mayWrite(common.replace(/\/\.git$/, ""))
    ? null
    : "this run may not write to the folder of the repository";
}

/** Git is no part of this process, so the permissions of this process are asked for it. */
async function mayWrite(path: string): Promise<boolean> {
  return (await Deno.permissions.query({ name: "write", path })).state === "granted";
}

async function submoduleNotes(
  top: string,
  options: { readonly signal?: AbortSignal },
): Promise<readonly string[]> {
  const marks = await runGit(top, ["cat-file", "-e", "HEAD:.gitmodules"], options);
  if (marks.exitCode !== 0) return [];
  const { stdout } = await runGit(top, ["ls-files", "--stage", "-z"], options);
  const paths = zeroParts(stdout).flatMap((record) =>
    record.startsWith("160000 ") ? [record.slice(record.indexOf("\t") + 1)] : []
  );
  return paths.length === 0
    ? []
    : [`The worktree does not contain the files of submodules: ${shortList(paths)}`];
}

async function filterNotes(
  top: string,
  drivers: readonly string[],
  options: { readonly signal?: AbortSignal },
): Promise<readonly string[]> {
  const named = drivers.filter((name) => /^[\w-]+$/.test(name)).map((name) =>
    `:(top,attr:filter=${name})`
  );
  if (named.length === 0) return [];
  const { stdout } = await runGit(top, ["ls-files", "-z", "--", ...named], options);
  const paths = zeroParts(stdout);
  return paths.length === 0 ? [] : [
    "No filter such as Git LFS runs in the worktree, so files stand there as they are stored: " +
    shortList(paths),
  ];
}

/**
 * The first few of many file names.
 *
 * @param names The names.
 * @param limit How many.
 */
export function shortList(names: readonly string[], limit: number = MAX_NAMED): string {
  return firstOf(names.map(shownName), limit);
}

/**
 * The first few of many texts, on one line.
 *
 * @param texts The texts.
 * @param limit How many.
 */
export function firstOf(texts: readonly string[], limit: number): string {
  const more = texts.length - limit;
  const shown = texts.slice(0, limit).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/**
 * A file name as text that cannot be mistaken for something else.
 *
 * @param name The name.
 */
export function shownName(name: string): string {
  // deno-lint-ignore no-control-regex
  return /[\u0000-\u001f\u007f-\u009f"\u2028\u2029\u202a-\u202e\u2066-\u2069]/.test(name)
    ? JSON.stringify(name)
    : name;
}

async function real(folder: string, path: string): Promise<string> {
  try {
    return await Deno.realPath(path.startsWith("/") ? path : `${folder}/${path}`);
  } catch {
    return path;
  }
}

function refused(reason: string): RepositoryVerdict {
  return { kind: "refused", reason };
}
