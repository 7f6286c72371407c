import { fileURLToPath } from "node:url";
import { isAbsolute, join } from "../../core/paths/path.ts";
import { MAX_IMAGE_BYTES, tooLarge } from "./attachments.ts";

/** Longer texts are no paths of images. */
const MAX_CHARS = 4_096;

const NAME_REGEXP = /\.(?:png|jpe?g|gif|webp)$/i;

/** A word of a shell: quoted, or with a backslash before what would end it. */
const WORD_REGEXP = /'([^']*)'|"([^"]*)"|((?:\\.|[^\s\\'"])+)/g;

/**
 * The files that a pasted or dropped text names, when it names nothing but images: paths as a shell
 * has them, or addresses of files.
 *
 * @param text What was pasted.
 * @param place Where relative paths begin, and the home folder.
 * @returns Absolute paths; none where it is any other text.
 */
export function findImagePaths(
  text: string,
  place: { readonly root: string; readonly home: string | undefined },
): readonly string[] {
  if (text.length > MAX_CHARS) return [];
  const trimmed = text.trim();
  // A path with spaces in it is often pasted as it is.
  const whole = toPath(trimmed, place);
  if (!trimmed.includes("\n") && !/['"\\]/.test(trimmed) && whole !== undefined && isOne(trimmed)) {
    return [whole];
  }
  const rest = trimmed.replace(WORD_REGEXP, "").trim();
  const paths = [...trimmed.matchAll(WORD_REGEXP)].map(([, single, double, plain]) =>
    toPath(single ?? double ?? (plain ?? "").replace(/\\(.)/g, "$1"), place)
  );
  return rest === "" && paths.every((path) => path !== undefined) ? paths : [];
}

/**
 * Reads a file that may be an image.
 *
 * @param path The file.
 * @returns Undefined where there is no such file.
 * @throws {RangeError} If it is too large to be read. Its message is for the person.
 */
export async function readImageFile(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const { isFile, size } = await Deno.stat(path);
    if (!isFile) return undefined;
    if (size > MAX_IMAGE_BYTES) throw tooLarge();
    return await Deno.readFile(path);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return undefined;
  }
}

function toPath(
  word: string,
  { root, home }: { readonly root: string; readonly home: string | undefined },
): string | undefined {
  if (!NAME_REGEXP.test(word)) return undefined;
  if (word.startsWith("file://")) {
    try {
      return fileURLToPath(word);
    } catch {
      return undefined;
    }
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(word)) return undefined;
  if (word.startsWith("~/")) return home === undefined ? undefined : join(home, word.slice(2));
  return isAbsolute(word) ? word : join(root, word);
}

/** Whether the name of one image stands in it, and not those of several. */
function isOne(text: string): boolean {
  return (text.match(/\.(?:png|jpe?g|gif|webp)(?=\s|$)/gi) ?? []).length === 1;
}
