import { isObject } from "../config/is_object.ts";
import { dirname, join } from "../paths/path.ts";

/** What of a package's `package.json` matters here. */
export interface PackageJson {
  /** The folder that it lies in. */
  readonly folder: string;
  readonly name?: string;
  readonly version?: string;
  readonly keywords: readonly unknown[];
  readonly type?: string;
  readonly main?: string;
  readonly exports?: unknown;
  readonly imports?: unknown;
}

/** Larger ones describe no package. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads the `package.json` of a folder. It waits for the file system: the hooks of the module
 * loader cannot do otherwise.
 *
 * @param folder The folder.
 * @returns Null if there is none, or none that can be read.
 * @throws {SyntaxError} If it is not JSON, or no object.
 */
export function readPackageJson(folder: string): PackageJson | null {
  const path = join(folder, "package.json");
  const text = readText(path);
  if (text === null) return null;
  let content: unknown;
  try {
    // Some editors begin a file with a mark, which JSON does not know.
    content = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    throw new SyntaxError(`Cannot read "${path}": it is not JSON`);
  }
  if (!isObject(content)) throw new SyntaxError(`Cannot read "${path}": it is not a JSON object`);
  const { name, version, keywords, type, main } = content;
  return {
    folder,
    keywords: Array.isArray(keywords) ? keywords : [],
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof version === "string" ? { version } : {}),
    ...(typeof type === "string" ? { type } : {}),
    ...(typeof main === "string" ? { main } : {}),
    ...("exports" in content ? { exports: content.exports } : {}),
    ...("imports" in content ? { imports: content.imports } : {}),
  };
}

/**
 * The `package.json` that a file belongs to: the nearest one above it, but none beyond the
 * `node_modules` that the file lies in.
 *
 * @param file Absolute path of the file.
 * @returns Null if there is none.
 * @throws {SyntaxError} If the nearest one cannot be understood.
 */
export function packageJsonOf(file: string): PackageJson | null {
  for (const folder of foldersAbove(file)) {
    if (folder.endsWith("node_modules")) return null;
    const found = readPackageJson(folder);
    if (found !== null) return found;
  }
  return null;
}

/**
 * The folders that hold a path, the nearest first.
 *
 * @param path Absolute path.
 */
export function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  let folder = dirname(path);
  for (; folder !== dirname(folder); folder = dirname(folder)) folders.push(folder);
  return [...folders, folder];
}

/**
 * Whether a path is a regular file that this run may read.
 *
 * @param path Absolute path.
 */
export function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/**
 * Whether a path is a folder that this run may read.
 *
 * @param path Absolute path.
 */
export function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

function readText(path: string): string | null {
  try {
    const { isFile, size } = Deno.statSync(path);
    if (!isFile) return null;
    if (size > MAX_BYTES) {
      throw new SyntaxError(`Cannot read "${path}": it is larger than ${MAX_BYTES} bytes`);
    }
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
    return null;
  }
}
