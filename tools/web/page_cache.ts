import { createInPlace, openCacheFolder } from "../../core/process/output_folder.ts";
import { leadsTo } from "../../core/paths/leads_to.ts";
import { join } from "../../core/paths/path.ts";
import { sha256Hex } from "../../core/files/sha256.ts";

/** Most pages that are kept, the newest among them. */
const MAX_PAGES = 100;
/** Most bytes that all pages together take. */
const MAX_PAGES_BYTES = 50 * 1024 * 1024;
const HASH_CHARS = 32;
/** Names of pages and of what a killed process left of one. Nothing else is ever removed. */
const PAGE_NAME_REGEXP = /^[0-9a-f]{32}\.(?:md|txt|html|json|xml)(?:\.[0-9a-f]{16}\.tmp)?$/;

/** The full text of a page. */
export interface CachedPage {
  /** Where it came from. */
  readonly url: string;
  /** The text. */
  readonly text: string;
  /** How its file name ends. */
  readonly extension: "md" | "txt" | "html" | "json" | "xml";
}

/**
 * Stores the full text of a page in `.alisio/cache/webfetch`, in one step, for its owner alone. The
 * name stands for the address and the text, so that a stored text never changes. The oldest pages go
 * so that the folder stays bounded.
 *
 * @param workspace Real path of the workspace.
 * @param page The page.
 * @returns Its path, relative to the workspace.
 * @throws If it cannot be stored, or a link stands in the place of the folder.
 */
export async function storePage(workspace: string, page: CachedPage): Promise<string> {
  const bytes = new TextEncoder().encode(page.text);
  const key = new TextEncoder().encode(`${page.url}\n${await sha256Hex(bytes)}`);
  const name = `${(await sha256Hex(key)).slice(0, HASH_CHARS)}.${page.extension}`;
  const folder = openCacheFolder(workspace, "webfetch");
  removeOldPages(folder, bytes.length);
  const path = join(folder, name);
  const temp = `${path}.${crypto.getRandomValues(new Uint8Array(8)).toHex()}.tmp`;
  using file = createInPlace(temp, 0o600);
  try {
    for (let offset = 0; offset < bytes.length;) offset += await file.write(bytes.subarray(offset));
    if (leadsTo(temp, file) !== "here") {
      throw new Deno.errors.NotADirectory("A part of the path became a link");
    }
    await Deno.rename(temp, path);
  } catch (error) {
    await Deno.remove(temp).catch(() => {});
    throw error;
  }
  return `.alisio/cache/webfetch/${name}`;
}

/** Keeps what leaves room for one more page. */
function removeOldPages(folder: string, newBytes: number): void {
  const pages = [...pageFiles(folder)].sort((a, b) => b.changedAt - a.changedAt);
  let bytes = newBytes;
  for (const [index, { path, size }] of pages.entries()) {
    bytes += size;
    if (index < MAX_PAGES - 1 && bytes <= MAX_PAGES_BYTES) continue;
    try {
      Deno.removeSync(path);
    } catch {
      // Another process was quicker, or the next page finds it again.
    }
  }
}

interface PageFile {
  readonly path: string;
  readonly size: number;
  readonly changedAt: number;
}

function* pageFiles(folder: string): Generator<PageFile> {
  for (const { name, isFile } of Deno.readDirSync(folder)) {
    if (!isFile || !PAGE_NAME_REGEXP.test(name)) continue;
    const path = join(folder, name);
    try {
      const { size, mtime } = Deno.lstatSync(path);
      yield { path, size, changedAt: mtime?.getTime() ?? 0 };
    } catch {
      // It has just been removed.
    }
  }
}
