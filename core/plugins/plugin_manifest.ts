import { isObject } from "../config/is_object.ts";
import { quotePath } from "../paths/quote_path.ts";
import { join } from "../paths/path.ts";

/** The file that says where the module of a folder is. */
export const MANIFEST_NAME = "alisio-plugin.json";

const MAX_BYTES = 64 * 1024;

/** What is wrong with a plugin's files; the message continues "Cannot load plugin …:". */
export class PluginFilesError extends Error {
  /** Always `PluginFilesError`. */
  override readonly name = "PluginFilesError";
}

/**
 * Reads the manifest of a plugin's folder.
 *
 * @param folder The folder.
 * @returns The entry, as written: a path relative to the folder.
 * @throws {PluginFilesError} If there is no manifest, or it cannot be used.
 */
export function readPluginManifest(folder: string): string {
  const content = readJson(join(folder, MANIFEST_NAME));
  const { apiVersion, entry } = content;
  if (apiVersion !== 1) {
    throw new PluginFilesError(
      `its ${MANIFEST_NAME} is for apiVersion ${JSON.stringify(apiVersion)?.slice(0, 40)}, and ` +
        "this Alisio speaks 1",
    );
  }
  if (typeof entry !== "string" || entry === "") {
    throw new PluginFilesError(
      `its ${MANIFEST_NAME} names no entry: add "entry": "./index.js"`,
    );
  }
  return entry;
}

function readJson(path: string): Readonly<Record<string, unknown>> {
  let text: string;
  try {
    const { isFile, size } = Deno.statSync(path);
    if (!isFile) throw new PluginFilesError(`its ${MANIFEST_NAME} is no regular file`);
    if (size > MAX_BYTES) {
      throw new PluginFilesError(`its ${MANIFEST_NAME} is larger than ${MAX_BYTES} bytes`);
    }
    text = Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof PluginFilesError) throw error;
    if (error instanceof Deno.errors.NotFound) {
      throw new PluginFilesError(
        `a folder needs a file ${MANIFEST_NAME} such as { "apiVersion": 1, "entry": "./index.js" }`,
      );
    }
    throw new PluginFilesError(`${quotePath(path)} cannot be read`, { cause: error });
  }
  let content: unknown;
  try {
    // Some editors begin a file with a mark, which JSON does not know.
    content = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    throw new PluginFilesError(`its ${MANIFEST_NAME} is not JSON`);
  }
  if (!isObject(content)) throw new PluginFilesError(`its ${MANIFEST_NAME} is not a JSON object`);
  return content;
}
