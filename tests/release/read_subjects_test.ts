import assert from "node:assert/strict";
import { withTempDir } from "../support/temp.ts";
import { readSubjects } from "./read_subjects.ts";

async function git(folder: string, ...args: readonly string[]): Promise<void> {
  const { code, stderr } = await new Deno.Command("git", {
    args: [...["-c", "user.name=A", "-c", "user.email=a@example.com"], ...args],
    cwd: folder,
    env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
}

async function commit(folder: string, ...subjects: readonly string[]): Promise<void> {
  for (const subject of subjects) {
    await git(folder, "commit", "--allow-empty", "--quiet", "-m", `${subject}\n\nfix: in a body`);
  }
}

Deno.test("readSubjects() reads what came after the release before, the oldest first", async () => {
  await withTempDir(async (dir) => {
    await git(dir, "init", "--quiet", "-b", "main");
    await commit(dir, "chore: begin", "feat: one");
    assert.deepEqual(await readSubjects(dir), { subjects: ["chore: begin", "feat: one"] });
    await git(dir, "tag", "v0.1.0");
    await git(dir, "tag", "nightly");
    // The tag of the release itself is not the one before.
    assert.deepEqual(await readSubjects(dir), { subjects: ["chore: begin", "feat: one"] });
    await git(dir, "checkout", "--quiet", "-b", "side");
    await commit(dir, "fix: aside");
    await git(dir, "checkout", "--quiet", "main");
    await commit(dir, "feat(tools): two");
    await git(dir, "merge", "--no-ff", "--quiet", "-m", "Merge side", "side");
    await git(dir, "tag", "not-a-release");
    const { since, subjects } = await readSubjects(dir);
    assert.equal(since, "v0.1.0");
    assert.deepEqual(subjects.toSorted(), ["feat(tools): two", "fix: aside"]);
    await git(dir, "tag", "v0.2.0");
    assert.equal((await readSubjects(dir)).since, "v0.1.0");
    assert.deepEqual((await readSubjects(dir, "v0.2.0")).subjects, []);
    assert.equal((await readSubjects(dir, "HEAD~1")).since, "HEAD~1");
  });
});

Deno.test("readSubjects() says what is missing", async () => {
  await withTempDir(async (dir) => {
    await assert.rejects(
      readSubjects(dir),
      /^Error: Cannot read the commits: .*not a git repository/i,
    );
    await git(dir, "init", "--quiet", "-b", "main");
    await commit(dir, "feat: one");
    for (const name of ["v9.9.9", "--all", "-n1"]) {
      await assert.rejects(
        readSubjects(dir, name),
        { message: `Cannot read the commits: there is no commit or tag ${JSON.stringify(name)}` },
      );
    }
  });
});
