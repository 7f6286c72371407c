import { readSmallFile } from "../config/small_file.ts";
import { decodeText, detectTextForm } from "../files/text_encoding.ts";
import { isInside } from "../paths/is_inside.ts";

/** What may be read on somebody's behalf. */
export interface ReadBounds {
  /** Real path of a folder that the file must really lie in; absent where links may lead anywhere. */
  readonly within?: string;
  /** Whether a real path stays closed, whoever names it. */
  readonly isClosed?: (real: string) => boolean;
  /** Largest size. */
  readonly maxBytes: number;
}

/** A text, or why there is none. */
export type TextFile =
  | {
    readonly status: "read";
    readonly text: string;
    readonly bytes: number;
    /** Where it really lies. */
    readonly real: string;
  }
  /** The reason continues a sentence that names the file. */
  | { readonly status: "unusable"; readonly reason: string };

/**
 * Reads a small text file, wherever links lead, within bounds. Never throws.
 *
 * @param path Absolute path.
 * @param bounds What may be read.
 */
export async function readTextFile(path: string, bounds: ReadBounds): Promise<TextFile> {
  const { within, isClosed, maxBytes } = bounds;
  const real = await Deno.realPath(path).catch(() => path);
  if (within !== undefined && !isInside(real, within)) {
    return unusable("a link leads it outside the folder that it must lie in");
  }
  if (isClosed?.(real) === true) {
    return unusable("it lies in a place that stays closed in this run");
  }
  const file = await readSmallFile(real, maxBytes);
  if (file.status === "missing") return unusable("it is not there");
  if (file.status === "unreadable") return unusable(file.reason);
  const form = detectTextForm(file.bytes);
  if (form.kind === "binary") return unusable(`it is not text but ${form.type}`);
  if (form.encoding === "unknown-8bit") return unusable("it is not UTF-8 text");
  return { status: "read", text: decodeText(file.bytes, form), bytes: file.bytes.length, real };
}

function unusable(reason: string): TextFile {
  return { status: "unusable", reason };
}
