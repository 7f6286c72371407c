import { createHash, type Hash } from "node:crypto";
import { join } from "../../paths/path.ts";

/** What tells whether the files of a package are still the same. */
export interface PackageMarks {
  /** SHA-256 of the names and contents of its files. */
  readonly digest: string;
  /** SHA-256 of the names, sizes and times of its files: the same while nothing touched them. */
  readonly stamp: string;
}

/** How much of a file is read at once. */
const CHUNK_BYTES = 1024 * 1024;

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
  return stampOf(await listFiles(folder));
}

/**
 * The marks of a package.
 *
 * @param folder The package.
 */
export async function packageMarks(folder: string): Promise<PackageMarks> {
  const files = await listFiles(folder);
  const hash = createHash("sha256");
  for (const { path, info } of files) {
    if (info.isSymlink) {
      addText(hash, `link ${path}`, await Deno.readLink(join(folder, path)));
    } else {
      addText(hash, `file ${path}`, String(info.size));
      // Opening a named pipe would wait for ever.
      if (info.isFile) await addContent(hash, join(folder, path));
    }
  }
  return { digest: hash.digest("hex"), stamp: stampOf(files) };
}

function stampOf(files: readonly FoundFile[]): string {
  const hash = createHash("sha256");
  for (const { path, info } of files) {
    const times = [info.mtime, info.ctime].map((time) => time?.getTime() ?? 0);
    addText(hash, path, `${info.size} ${times.join(" ")}`);
  }
  return hash.digest("hex");
}

/** Lengths keep two different lists from being one text. */
function addText(hash: Hash, ...texts: readonly string[]): void {
  for (const text of texts) hash.update(`${text.length}:${text}\n`);
}

async function addContent(hash: Hash, path: string): Promise<void> {
  using file = await Deno.open(path, { read: true });
  const buffer = new Uint8Array(CHUNK_BYTES);
  for (let count = await file.read(buffer); count !== null; count = await file.read(buffer)) {
    hash.update(buffer.subarray(0, count));
  }
}

async function listFiles(folder: string): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  const waiting = [""];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for await (const entry of Deno.readDir(join(folder, next))) {
      if (entry.name === "node_modules" && entry.isDirectory) continue;
      const path = next === "" ? entry.name : `${next}/${entry.name}`;
      if (entry.isDirectory) waiting.push(path);
      else found.push({ path, info: await Deno.lstat(join(folder, path)) });
    }
  }
  return found.sort((a, b) => a.path < b.path ? -1 : 1);
}
