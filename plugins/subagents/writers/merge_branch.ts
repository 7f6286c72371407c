import { askGit, GitError, reasonOf, runGit, zeroParts } from "./git.ts";
import { changedFiles, drivenFiles, filterSettings, shortList } from "./repository.ts";
import { commitOf, identity } from "./worktree.ts";

/** Files of what Git has not finished, in the folder of its data. */
const UNFINISHED = [
  "MERGE_HEAD",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "rebase-merge",
  "rebase-apply",
];

/**
 * Merges a branch into the branch of a working tree. A tree that cannot take it stays as it was.
 *
 * @param top Root of the tree.
 * @param branch The branch.
 * @param worktrees The folder of worktrees, which is no part of the tree.
 * @returns Whether there was anything to merge.
 * @throws {GitError} That says why not, and which files conflict.
 */
export async function mergeBranch(
  top: string,
  branch: string,
  worktrees: string,
): Promise<boolean> {
  const reference = `refs/heads/${branch}`;
  const target = (await runGit(top, ["symbolic-ref", "-q", "--short", "HEAD"])).stdout.trim();
  if (target === "") throw new GitError("the working tree is on no branch; check one out first");
  for (const name of UNFINISHED) {
    const path = (await askGit(top, ["rev-parse", "--git-path", name])).trimEnd();
    if (await exists(top, path)) {
      throw new GitError(
        "a merge or another operation has not ended in the working tree; finish it, or take it " +
          "back with git merge --abort",
      );
    }
  }
  const lock = (await askGit(top, ["rev-parse", "--git-path", "index.lock"])).trimEnd();
  if (await exists(top, lock)) {
    throw new GitError("another Git works in the working tree: its index.lock is there");
  }
  const dirty = await changedFiles(top, { worktrees });
  if (dirty.length > 0) {
    throw new GitError(
      `the working tree has uncommitted changes: ${shortList(dirty)}; commit or remove them first`,
    );
  }
  if ((await runGit(top, ["merge-base", "--is-ancestor", reference, "HEAD"])).exitCode === 0) {
    return false;
  }
  await assertNoPrograms(top, reference, branch);
  await assertNoConflict(top, reference);
  const settings = [...await filterSettings(top), ...await identity(top)];
  const before = await commitOf(top, "HEAD");
  const merged = await runGit(top, [
    "merge",
    "--no-ff",
    "--no-edit",
    "--commit",
    "--no-squash",
    "--no-verify",
    "--no-autostash",
    "--no-gpg-sign",
    "--quiet",
    "-m",
    `Merge branch '${branch}'`,
    reference,
  ], { settings });
  if (merged.exitCode === 0) return true;
  const conflicts = await conflicting(top);
  // Only what this merge began is taken back.
  if (await commitOf(top, "HEAD") === before && await commitOf(top, "MERGE_HEAD") !== null) {
    await askGit(top, ["merge", "--abort"], { settings });
  }
  throw conflicts.length > 0 ? conflictError(conflicts) : new GitError(reasonOf(merged));
}

/** Newer versions of Git can tell without touching a file. */
async function assertNoConflict(top: string, reference: string): Promise<void> {
  const outcome = await runGit(top, [
    "merge-tree",
    "--write-tree",
    "--name-only",
    "--no-messages",
    "-z",
    "HEAD",
    reference,
  ]);
  if (outcome.exitCode !== 1) return;
  const [, ...files] = zeroParts(outcome.stdout);
  if (files.length > 0) throw conflictError([...new Set(files)]);
}

async function assertNoPrograms(top: string, reference: string, branch: string): Promise<void> {
  const output = await askGit(top, [
    "diff",
    "--no-ext-diff",
    "--no-renames",
    "--name-only",
    "-z",
    `HEAD...${reference}`,
  ]);
  const driven = await drivenFiles(top, zeroParts(output));
  if (driven.length === 0) return;
  throw new GitError(
    `files pass through programs, which only you can start: ${shortList(driven)}; run git merge ` +
      `--no-ff ${branch}, then repeat this`,
  );
}

async function conflicting(top: string): Promise<readonly string[]> {
  const outcome = await runGit(top, ["diff", "--name-only", "--diff-filter=U", "-z"]);
  return zeroParts(outcome.stdout);
}

function conflictError(files: readonly string[]): GitError {
  return new GitError(
    `files conflict, and nothing was changed: ${shortList(files, 50)}; merge by hand, or let the ` +
      "task go on and take in the changes",
  );
}

async function exists(top: string, path: string): Promise<boolean> {
  try {
    await Deno.lstat(path.startsWith("/") ? path : `${top}/${path}`);
    return true;
  } catch {
    return false;
  }
}
