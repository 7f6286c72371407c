import { sha256Hex } from "../../files/sha256.ts";
import { join } from "../../paths/path.ts";

/** What tells whether the files of a package are still the same. */
export interface PackageMarks {
  /** SHA-256 of the names and contents of its files. */
  readonly digest: string;
  /** SHA-256 of the names, sizes and times of its files: the same while nothing touched them. */
  readonly stamp: string;
}

/** How much of a file is held at once. */
const CHUNK_BYTES = 4 * 1024 * 1024;

interface FoundFile {
  /** Relative to the package, with slashes. */
  readonly path: string;
  readonly info: Deno.FileInfo;
}

/**
 * The mark of a package that needs no file to be read. Packages inside it, which have marks of their
 * own, are left out.
 *
 * @param folder The package.
 */
export async function packageStamp(folder: string): Promise<string> {
  return await stampOf(listFiles(folder));
}

/**
 * The marks of a package.
 *
 * @param folder The package.
 */
export async function packageMarks(folder: string): Promise<PackageMarks> {
  const files = listFiles(folder);
  const lines: unknown[] = [];
  for (const { path, info } of files) {
    const place = join(folder, path);
    // Opening a named pipe would wait for ever.
    const content = info.isSymlink
      ? await Deno.readLink(place)
      : info.isFile
      ? await chunkDigests(place, info.size)
      : null;
    lines.push([path, info.size, content]);
  }
  return { digest: await digestOf(lines), stamp: await stampOf(files) };
}

function stampOf(files: readonly FoundFile[]): Promise<string> {
  return digestOf(
    files.map(({ path, info: { size, mtime, ctime } }) => [
      path,
      size,
      mtime?.getTime() ?? 0,
      ctime?.getTime() ?? 0,
    ]),
  );
}

/** Of JSON text, in which no two lists look alike. */
function digestOf(lines: readonly unknown[]): Promise<string> {
  return sha256Hex(new TextEncoder().encode(JSON.stringify(lines)));
}

async function chunkDigests(path: string, size: number): Promise<readonly string[]> {
  using file = await Deno.open(path, { read: true });
  const digests: string[] = [];
  const buffer = new Uint8Array(Math.min(size + 1, CHUNK_BYTES));
  for (let length = 0;;) {
    const count = await file.read(buffer.subarray(length));
    length += count ?? 0;
    if (count !== null && length < buffer.length) continue;
    if (length > 0) digests.push(await sha256Hex(buffer.subarray(0, length)));
    if (count === null) return digests;
    length = 0;
  }
}

/** Looked at without waiting for the thread pool, which takes longer than the file system does. */
function listFiles(folder: string): readonly FoundFile[] {
  const found: FoundFile[] = [];
  const waiting = [""];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const entry of Deno.readDirSync(join(folder, next))) {
      if (entry.name === "node_modules" && entry.isDirectory) continue;
      const path = next === "" ? entry.name : `${next}/${entry.name}`;
      if (entry.isDirectory) waiting.push(path);
      else found.push({ path, info: Deno.lstatSync(join(folder, path)) });
    }
  }
  return found.sort((a, b) => a.path < b.path ? -1 : 1);
}
