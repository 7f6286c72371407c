import assert from "node:assert/strict";
import type { PlayedTurn } from "../../../support/run_harness.ts";
import { calls, says } from "../../../support/run_harness.ts";
import { writeTree } from "../../../support/temp.ts";
import { Gate, then } from "../_scene.ts";

/** Runs Git as a person would, and returns what it says. */
export async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("git", {
    args: ["-c", "user.name=A", "-c", "user.email=a@b.c", ...args],
    cwd,
  }).output();
  assert.ok(success, `git ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout).trim();
}

/** Makes a repository with one commit. */
export async function makeRepository(
  folder: string,
  files: Readonly<Record<string, string>> = { "a.txt": "old\n" },
): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  await git(folder, "init", "-q", "-b", "main");
  await writeTree(folder, files);
  await git(folder, "add", "-A");
  await git(folder, "commit", "-qm", "First");
}

/** A turn that writes a new file. */
export function writes(path: string, content: string): PlayedTurn {
  return calls([["write_file", { path, content, expectedHash: null }]]);
}

/** Roles that end only when all of them have come to their end. */
export function meeting(
  roles: Readonly<Record<string, readonly PlayedTurn[]>>,
): Record<string, readonly PlayedTurn[]> {
  const all = new Gate(Object.keys(roles).length);
  const end = then(() => {
    all.arrive();
    return all.says("It is done");
  });
  return Object.fromEntries(
    Object.entries(roles).map(([name, turns]) => [name, [...turns, end, says("Again")]]),
  );
}
