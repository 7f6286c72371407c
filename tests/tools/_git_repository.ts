import assert from "node:assert/strict";
import { writeTree } from "../support/temp.ts";

/**
 * Runs Git as a person would, but with no configuration of the machine.
 *
 * @param cwd Where.
 * @param args The command.
 */
export async function git(cwd: string, ...args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("git", {
    args: [...args],
    cwd,
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: cwd,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "Ada",
      GIT_AUTHOR_EMAIL: "ada@example.com",
      GIT_COMMITTER_NAME: "Ada",
      GIT_COMMITTER_EMAIL: "ada@example.com",
      GIT_ALLOW_PROTOCOL: "file",
    },
    stdin: "null",
  }).output();
  assert.ok(success, `git ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
}

/**
 * Makes a repository with one commit.
 *
 * @param folder Where.
 * @param files Its files.
 */
export async function createRepository(
  folder: string,
  files: Readonly<Record<string, string>> = { "a.txt": "one\n" },
): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  await git(folder, "init", "-q", "-b", "main", ".");
  await writeTree(folder, files);
  await git(folder, "add", "-A");
  await git(folder, "commit", "-q", "-m", "first");
}

/**
 * The bytes of an index that names files as no Git would name them, all of them empty.
 *
 * @param names Names of the files.
 */
export async function createIndex(names: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
  const empty = await sha1(new TextEncoder().encode("blob 0\0"));
  const entries = names.map((name) => new TextEncoder().encode(name))
    .toSorted((first, second) => compareBytes(first, second))
    .map((name) => indexEntry(name, empty));
  const head = new Uint8Array(12);
  head.set(new TextEncoder().encode("DIRC"));
  new DataView(head.buffer).setUint32(4, 2);
  new DataView(head.buffer).setUint32(8, entries.length);
  const body = concat([head, ...entries]);
  return concat([body, await sha1(body)]);
}

function indexEntry(name: Uint8Array, hash: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = 62 + name.length;
  const entry = new Uint8Array(length + 8 - length % 8);
  const view = new DataView(entry.buffer);
  view.setUint32(24, 0o100644);
  entry.set(hash, 40);
  view.setUint16(60, name.length);
  entry.set(name, 62);
  return entry;
}

async function sha1(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-1", bytes));
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function compareBytes(first: Uint8Array, second: Uint8Array): number {
  const index = first.findIndex((byte, at) => byte !== second[at]);
  return index === -1 ? first.length - second.length : (first[index] ?? 0) - (second[index] ?? -1);
}
