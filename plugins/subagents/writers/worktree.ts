import { askGit, GitError, reasonOf, runGit, zeroParts } from "./git.ts";
import {
  changedFiles,
  drivenFiles,
  filterSettings,
  firstOf,
  type Repository,
  shortList,
  shownName,
} from "./repository.ts";

/** Where the work of a writer stands. */
export interface Worktree {
  /** The writer that it was made for. */
  readonly id: string;
  /** Its folder. */
  readonly path: string;
  readonly branch: string;
}

const MAX_LISTED_FILES = 50;

/**
 * The worktree of a writer.
 *
 * @param folder The folder of all worktrees.
 * @param id The writer.
 */
export function worktreeOf(folder: string, id: string): Worktree {
  return { id, path: `${folder}/${id}`, branch: `alisio/${id}` };
}

/**
 * Makes a worktree with a branch of its own. What was made of one that cannot be finished is taken
 * away again.
 *
 * @param repository The repository.
 * @param worktree Where.
 * @param signal Gives up.
 * @throws {GitError} If it cannot be made; the reason of the signal.
 */
export async function addWorktree(
  { top, head, filters }: Repository,
  { path, branch }: Worktree,
  signal?: AbortSignal,
): Promise<void> {
  const options = { settings: filters, ...(signal === undefined ? {} : { signal }) };
  const known = await commitOf(top, `refs/heads/${branch}`);
  if (await isThere(path)) throw new GitError(`the folder ${shownName(path)} exists already`);
  if (known !== null) throw new GitError(`the branch ${branch} exists already`);
  try {
    await askGit(
      top,
      ["worktree", "add", "-q", "--force", "-b", branch, "--", path, head],
      options,
    );
  } catch (error) {
    await removeWorktree(top, { path, branch });
    throw error;
  }
}

/**
 * Brings back the folder of a writer that goes on: with its branch where that is still there, from
 * the last commit otherwise.
 *
 * @param repository The repository.
 * @param worktree Where.
 * @throws {GitError} If it cannot be made.
 */
export async function restoreWorktree(repository: Repository, worktree: Worktree): Promise<void> {
  const { top, filters } = repository;
  const { path, branch } = worktree;
  if (await commitOf(top, `refs/heads/${branch}`) === null) {
    return await addWorktree(repository, worktree);
  }
  await askGit(top, ["worktree", "add", "-q", "--force", "--", path, branch], {
    settings: filters,
  });
}

/**
 * Removes a worktree and its branch, whatever of them is there.
 *
 * @param top The working tree that it was made from.
 * @param worktree Where.
 * @throws {GitError} If something of it stays.
 */
export async function removeWorktree(
  top: string,
  { path, branch }: Pick<Worktree, "path" | "branch">,
): Promise<void> {
  const removed = await runGit(top, ["worktree", "remove", "--force", "--force", "--", path]);
  if (removed.exitCode !== 0 && await isThere(path)) {
    await Deno.remove(path, { recursive: true }).catch(() => {
      throw new GitError(`the folder ${shownName(path)} cannot be removed: ${reasonOf(removed)}`);
    });
    await runGit(top, ["worktree", "remove", "--force", "--force", "--", path]);
  }
  if (await commitOf(top, `refs/heads/${branch}`) === null) return;
  await askGit(top, ["branch", "-q", "-D", "--", branch]);
}

/**
 * Commits on its branch what a writer left uncommitted.
 *
 * @param worktree Where.
 * @param subject What it was about.
 * @returns Why it stays uncommitted, or null.
 */
export async function commitWork(
  { path, branch }: Worktree,
  subject: string,
): Promise<string | null> {
  const on = (await runGit(path, ["symbolic-ref", "-q", "--short", "HEAD"])).stdout.trim();
  if (on !== branch) return `the agent left the branch: it is on ${on || "no branch"} now`;
  const changed = await changedFiles(path);
  if (changed.length === 0) return null;
  const unmerged = zeroParts(await askGit(path, ["ls-files", "-u", "-z"]));
  if (unmerged.length > 0) return "the agent left a merge with conflicts";
  const driven = await drivenFiles(path, changed);
  if (driven.length > 0) return `files pass through programs: ${shortList(driven)}`;
  const settings = [...await filterSettings(path), ...await identity(path)];
  const sparse = await runGit(path, ["config", "--type=bool", "core.sparseCheckout"]);
  const isSparse = sparse.stdout.trim() === "true";
  await askGit(path, ["add", "-A", ...isSparse ? ["--sparse"] : []], { settings });
  const inner = await addedRepositories(path);
  if (inner.length > 0) {
    await runGit(path, ["reset", "-q"], { settings });
    return `the agent made repositories of their own: ${shortList(inner)}`;
  }
  if ((await runGit(path, ["diff", "--cached", "--quiet"])).exitCode === 0) return null;
  await askGit(path, ["commit", "-q", "--no-verify", "--no-gpg-sign", "-m", subject], { settings });
  return null;
}

/** What a branch adds to the tree that it came from. */
export interface BranchFacts {
  /** Whether it adds anything. */
  readonly hasCommits: boolean;
  /** Changed files, each with its lines. */
  readonly files: readonly string[];
  /** Such as `2 files changed, 3 insertions(+)`. */
  readonly stat: string;
}

/**
 * Looks at what a branch adds.
 *
 * @param top The tree that it came from.
 * @param branch The branch.
 */
export async function branchFacts(top: string, branch: string): Promise<BranchFacts> {
  const reference = `refs/heads/${branch}`;
  const isIn = await runGit(top, ["merge-base", "--is-ancestor", reference, "HEAD"]);
  if (isIn.exitCode === 0) return { hasCommits: false, files: [], stat: "" };
  const range = `HEAD...${reference}`;
  const flags = ["--no-ext-diff", "--no-textconv", "--no-renames"];
  const numbers = await runGit(top, ["diff", ...flags, "--numstat", "-z", range]);
  const stat = await runGit(top, ["diff", ...flags, "--shortstat", range]);
  const files = zeroParts(numbers.stdout).map((record) => {
    const [added = "", removed = "", ...name] = record.split("\t");
    const lines = added === "-" ? "binary" : `+${added} -${removed}`;
    return `${shownName(name.join("\t"))} (${lines})`;
  });
  return { hasCommits: true, files, stat: stat.stdout.trim() };
}

/**
 * The result of a writer, for its caller.
 *
 * @param worktree Where it worked.
 * @param facts What it did.
 */
export function describeWork({ id, path, branch }: Worktree, facts: BranchFacts): string {
  const { files, stat } = facts;
  return [
    `Branch ${branch}, worktree ${shownName(path)}: ${stat || "no file differs"}`,
    `Changed files: ${firstOf(files, MAX_LISTED_FILES) || "none"}`,
    `The person merges it with /agents merge ${id.slice(0, 8)}, or drops it with /agents discard ` +
    id.slice(0, 8),
  ].join("\n");
}

/**
 * Who commits, where the person has not said who they are.
 *
 * @param folder Where Git reads its configuration.
 */
export async function identity(folder: string): Promise<readonly string[]> {
  const known = await Promise.all(
    ["user.name", "user.email"].map(async (key) =>
      (await runGit(folder, ["config", "--get", key])).stdout.trim() !== ""
    ),
  );
  return known.every((each) => each) ? [] : ["user.name=Alisio", "user.email=alisio@localhost"];
}

/**
 * The commit that a name stands for.
 *
 * @param top Where.
 * @param name The name.
 * @returns Null if there is none.
 */
export async function commitOf(top: string, name: string): Promise<string | null> {
  const outcome = await runGit(top, ["rev-parse", "-q", "--verify", `${name}^{commit}`]);
  return outcome.exitCode === 0 ? outcome.stdout.trim() : null;
}

/**
 * Whether something is at a path.
 *
 * @param path The path.
 */
export async function isThere(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory);
  }
}

/** Only the name of a commit would be stored of these, and their files would be lost. */
async function addedRepositories(path: string): Promise<readonly string[]> {
  const output = await askGit(path, [
    "diff",
    "--cached",
    "--raw",
    "--no-renames",
    "--no-ext-diff",
    "-z",
    "--diff-filter=AT",
  ]);
  const parts = zeroParts(output);
  return parts.flatMap((part, index) => /^:\d+ 160000 /.test(part) ? [parts[index + 1] ?? ""] : []);
}
