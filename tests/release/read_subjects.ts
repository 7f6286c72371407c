/** The commits of a release. */
export interface ReleaseCommits {
  /** The tag of the release before, if there is one. */
  readonly since?: string;
  /** Subjects, the oldest first, merges left out. */
  readonly subjects: readonly string[];
}

/**
 * Reads the subjects of the commits since the last release.
 *
 * @param folder A folder of the repository.
 * @param since The commit or tag to begin after; without it the newest tag such as `v1.2.3` that is
 * not on the commit itself, or the very first commit where there is none.
 * @throws {Error} If the folder is no repository, or there is no such commit.
 */
export async function readSubjects(folder: string, since?: string): Promise<ReleaseCommits> {
  const start = since ?? await lastRelease(folder);
  const range = start === null ? "HEAD" : `${await commitOf(folder, start)}..HEAD`;
  const log = await git(folder, ["log", "--no-merges", "--reverse", "--format=%s", range, "--"]);
  if (log.code !== 0) throw new Error(`Cannot read the commits: ${log.stderr.trim()}`);
  return {
    ...(start === null ? {} : { since: start }),
    subjects: log.stdout.split("\n").filter((subject) => subject !== ""),
  };
}

async function lastRelease(folder: string): Promise<string | null> {
  // The tag of the release itself may be there already.
  const ofThis = await git(folder, ["tag", "--points-at", "HEAD", "v[0-9]*"]);
  const excluded = ofThis.stdout.split("\n").filter((tag) => tag !== "");
  const { code, stdout } = await git(folder, [
    ...["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"],
    ...excluded.flatMap((tag) => ["--exclude", tag]),
    "HEAD",
  ]);
  return code === 0 ? stdout.trim() : null;
}

async function commitOf(folder: string, name: string): Promise<string> {
  const { code, stdout } = await git(folder, [
    ...["rev-parse", "--verify", "--quiet", "--end-of-options"],
    `${name}^{commit}`,
  ]);
  if (code === 0) return stdout.trim();
  throw new Error(`Cannot read the commits: there is no commit or tag ${JSON.stringify(name)}`);
}

async function git(
  folder: string,
  args: readonly string[],
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const { code, stdout, stderr } = await new Deno.Command("git", {
    args: ["-C", folder, ...args],
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
