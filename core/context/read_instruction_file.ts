import { FileError } from "../files/file_error.ts";
import { readUpTo } from "../files/read_up_to.ts";
import { openJudged } from "../files/regular_file.ts";
import { decodeText, detectTextForm } from "../files/text_encoding.ts";
import { isInside } from "../paths/is_inside.ts";
import { quotePath } from "../paths/quote_path.ts";
import { characterStart } from "../process/visible_text.ts";
import {
  type InstructionFile,
  type InstructionLocation,
  type InstructionSources,
  isForeign,
} from "./instruction_files.ts";

/** What became of one file that was found. */
export interface ReadInstructions {
  /** The file, where it can be used. */
  readonly file?: InstructionFile;
  /** What the person should know of it, one sentence. */
  readonly notice?: string;
}

/**
 * Reads one instruction file. One that cannot be used is left out, with a notice.
 *
 * @param location Where it is.
 * @param sources What may be used.
 */
export async function readInstructionFile(
  location: InstructionLocation,
  sources: InstructionSources,
): Promise<ReadInstructions> {
  const { path, scope } = location;
  try {
    const real = await Deno.realPath(path);
    if (scope === "project" && !isInside(real, sources.root)) {
      return leftOut(path, "its link leads outside the project");
    }
    if (scope === "project" && isForeign(real, sources.root)) {
      return leftOut(path, "its link leads into a folder of dependencies");
    }
    if (scope === "project" && sources.isClosed?.(real) === true) {
      return leftOut(path, "it lies in a place that stays closed in this run");
    }
    // Opening a named pipe would wait for ever, so the file is looked at first.
    const { isFile, size } = await Deno.stat(real);
    if (!isFile) return leftOut(path, "it is not a regular file");
    using opened = await openJudged(real, "read");
    const { maxBytes } = sources;
    const { bytes, complete } = await readUpTo(opened, { maxBytes, claimedBytes: size });
    return decode({ ...location, bytes: size, complete }, bytes.subarray(0, maxBytes));
  } catch (error) {
    return leftOut(path, reasonOf(error));
  }
}

function decode(facts: Omit<InstructionFile, "text">, bytes: Uint8Array): ReadInstructions {
  const form = detectTextForm(bytes, { partial: !facts.complete });
  if (form.kind === "binary") return leftOut(facts.path, `it is not text but ${form.type}`);
  const end = facts.complete || form.encoding === "utf-16le" || form.encoding === "utf-16be"
    ? bytes.length
    : characterStart(bytes, bytes.length);
  const file = { ...facts, text: decodeText(bytes.subarray(0, end), form) };
  if (form.encoding !== "unknown-8bit") return { file };
  return {
    file,
    notice: `Instructions ${quotePath(facts.path)} are not UTF-8: ` +
      "the bytes outside it are shown as escapes; store the file as UTF-8",
  };
}

function leftOut(path: string, reason: string): ReadInstructions {
  return { notice: `Left out instructions ${quotePath(path)}: ${reason}` };
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "its link leads nowhere";
  if (error instanceof Deno.errors.PermissionDenied) return "this user may not read it";
  if (error instanceof Deno.errors.NotCapable) return "this run may not read it";
  if (error instanceof Deno.errors.FilesystemLoop) return "its links lead in a circle";
  if (error instanceof FileError) return "it was exchanged for another file meanwhile";
  return error instanceof Error ? error.message : String(error);
}
