import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/**
 * Calls `fn` with a new, empty directory and removes it afterwards, whatever happened.
 *
 * @param fn Receives the real path of the directory.
 * @returns What `fn` returned.
 */
export async function withTempDir<T>(fn: (dir: string) => Promise<T> | T): Promise<T> {
  // Names of one length, so that screens which show them can be compared.
  const name = `alisio-test-${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
  await Deno.mkdir(join(tmpdir(), name), { mode: 0o700 });
  const dir = await Deno.realPath(join(tmpdir(), name));
  try {
    return await fn(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/**
 * Writes files below a directory, with the directories they need.
 *
 * @param dir Where to write.
 * @param files Content by relative path.
 */
export async function writeTree(
  dir: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(dir, name);
    await Deno.mkdir(dirname(path), { recursive: true });
    if (typeof content === "string") await Deno.writeTextFile(path, content);
    else await Deno.writeFile(path, content);
  }
}
