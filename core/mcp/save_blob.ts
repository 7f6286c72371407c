import { sha256Hex } from "../files/sha256.ts";
import { join } from "../paths/path.ts";
import { StreamRedactor } from "../process/stream_redactor.ts";
import { createInPlace, openCacheFolder } from "../process/output_folder.ts";

/** Folder of the workspace's cache. */
const FOLDER = "mcp";
const MAX_FILES = 100;
const MAX_FILES_BYTES = 200 * 1024 * 1024;
const NAME_REGEXP = /^[0-9a-f]{16}\.[a-z0-9]{1,10}$/;

/**
 * Stores bytes of a server that no model can be shown, in the cache of the workspace, where the
 * oldest make room.
 *
 * @param workspace Real path of the workspace.
 * @param given The bytes.
 * @param mimeType What they are, as the server says.
 * @param secrets Values that are not stored with them.
 * @returns Their path in the workspace.
 * @throws If they cannot be stored there, or a symbolic link stands in the way.
 */
export async function saveBlob(
  workspace: string,
  given: Uint8Array,
  mimeType: string,
  secrets: readonly string[] = [],
): Promise<string> {
  const bytes = withoutSecrets(given, secrets);
  const folder = openCacheFolder(workspace, FOLDER);
  removeOld(folder, bytes.length);
  const hash = await sha256Hex(new Uint8Array(bytes));
  const name = `${hash.slice(0, 16)}.${extensionOf(mimeType)}`;
  const path = `.alisio/cache/${FOLDER}/${name}`;
  try {
    using file = createInPlace(join(folder, name), 0o600);
    for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
  } catch (error) {
    // The same bytes have the same name.
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  return path;
}

/** Most have none, and stay the very bytes that they are. */
function withoutSecrets(bytes: Uint8Array, secrets: readonly string[]): Uint8Array {
  if (secrets.length === 0) return bytes;
  const redactor = new StreamRedactor(secrets);
  const pieces = [redactor.write(bytes), redactor.end()];
  const all = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

function extensionOf(mimeType: string): string {
  const [, subtype = ""] = /^[\w.-]+\/(?:x-)?([\w]+)/.exec(mimeType.toLowerCase()) ?? [];
  return /^[a-z0-9]{1,10}$/.test(subtype) ? subtype : "bin";
}

function removeOld(folder: string, newBytes: number): void {
  const files = [...Deno.readDirSync(folder)]
    .flatMap(({ name, isFile }) => {
      if (!isFile || !NAME_REGEXP.test(name)) return [];
      const path = join(folder, name);
      const { size, mtime } = Deno.lstatSync(path);
      return [{ path, size, changedAt: mtime?.getTime() ?? 0 }];
    })
    .toSorted((a, b) => b.changedAt - a.changedAt);
  let bytes = newBytes;
  for (const [index, { path, size }] of files.entries()) {
    bytes += size;
    if (index >= MAX_FILES - 1 || bytes > MAX_FILES_BYTES) Deno.removeSync(path);
  }
}
