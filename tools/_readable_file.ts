import { FileError } from "../core/files/file_error.ts";
import { statRegularFile } from "../core/files/regular_file.ts";
import { findLookalike } from "../core/paths/find_lookalike.ts";
import { isClosed } from "../core/paths/is_closed.ts";
import { isInside } from "../core/paths/is_inside.ts";
import { isInPlace } from "../core/paths/leads_to.ts";
import { listNames } from "../core/paths/list_names.ts";
import { nearestNames } from "../core/paths/nearest_names.ts";
import { basename, dirname, join } from "../core/paths/path.ts";
import { quotePath } from "../core/paths/quote_path.ts";
import type { HostToolContext } from "../core/tools/host_tool.ts";
import { displayPath, ToolFailure } from "./_file_tools.ts";

/** A regular file to read. */
export interface ReadableFile {
  /** Its real path. */
  readonly real: string;
  /** The size that it claims. */
  readonly size: number;
  /** What the model must be told about how it was found; null when by its exact name. */
  readonly note: string | null;
}

const MAX_COMPARED_NAMES = 5_000;

/**
 * Finds the file that a call names. When nothing has exactly that name, the only file whose name
 * looks the same is taken, and said so.
 *
 * @param requested The path as the call gave it.
 * @param context The context of the call.
 * @param closed Real paths that are closed, whatever a call names.
 * @throws {ToolFailure} If there is no such file; the message names what is near.
 * @throws {FileError} If it is no regular file.
 */
export async function findReadableFile(
  requested: string,
  context: HostToolContext,
  closed: readonly string[],
): Promise<ReadableFile> {
  const { real } = context.path(requested);
  const info = statReadable(real);
  if (info !== null) return { real, size: info.size, note: null };
  const lookalike = await findLookalike(real);
  if (lookalike.kind === "ambiguous") {
    const names = lookalike.names.map(quoteAscii).join(", ");
    throw new ToolFailure(
      `Cannot read file ${quotePath(requested)}: it does not exist, and several names look the ` +
        `same: ${names}; pass one of them exactly`,
    );
  }
  const mayRead = (found: string): boolean =>
    [...context.roots, dirname(real)].some((root) => isInside(found, root)) &&
    !isClosed(found, closed, context.roots);
  // The gate has not judged this name.
  if (lookalike.kind === "unique" && mayRead(lookalike.real)) {
    const found = statReadable(lookalike.real);
    if (found !== null) {
      const used = quoteAscii(displayPath(lookalike.real, context.workspace));
      const note = `No file has exactly this name; this is ${used}, which looks the same`;
      return { real: lookalike.real, size: found.size, note };
    }
  }
  throw new ToolFailure(await describeMissing(requested, real, context));
}

function statReadable(real: string): Deno.FileInfo | null {
  try {
    return statRegularFile(real, "read");
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== "is_folder") throw error;
    throw new ToolFailure(`${error.message}; use list_files to see what is in it`);
  }
}

async function describeMissing(
  requested: string,
  real: string,
  context: HostToolContext,
): Promise<string> {
  const failed = `Cannot read file ${quotePath(requested)}: `;
  if (requested.includes("\ufffd")) {
    return `${failed}it does not exist under this name; a name with bytes that are not UTF-8 ` +
      "cannot be passed, so rename the file first";
  }
  const missing = await findFirstMissing(real);
  const isFolder = missing !== real;
  const reason = isFolder
    ? `folder ${quotePath(displayPath(missing, context.workspace))} does not exist`
    : "it does not exist";
  const folder = dirname(missing);
  if (!context.roots.some((root) => isInside(folder, root))) return failed + reason;
  const names = await listNames(folder, { maxEntries: MAX_COMPARED_NAMES }) ?? [];
  const nearest = nearestNames(basename(missing), names, 3)
    .filter((name) => isInPlace(join(folder, name)))
    .map(quotePath);
  const hint = nearest.length > 0
    ? `; similar names there: ${nearest.join(", ")}`
    : "; use list_files to see what there is";
  return failed + reason + hint;
}

/** The part of a path at which it stops existing. */
async function findFirstMissing(real: string): Promise<string> {
  let missing = real;
  for (let parent = dirname(real); parent !== missing; parent = dirname(parent)) {
    try {
      await Deno.lstat(parent);
      return missing;
    } catch (error) {
      // What may not be looked up is above all that concerns the model.
      if (error instanceof Deno.errors.NotCapable) return missing;
      missing = parent;
    }
  }
  return missing;
}

/** Shows every character outside ASCII as an escape, so that names that look alike differ. */
function quoteAscii(name: string): string {
  return quotePath(name).replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
