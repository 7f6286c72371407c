import type { ImagePart } from "@alisio/sdk";
import { readImageFacts } from "../files/image_facts.ts";

/** In base64, as much as holds the size of every picture but an odd one. */
const HEAD_CHARS = 64 * 1024;

/**
 * Says of an image what can be said without looking at it: its type and, where its first bytes tell,
 * how large it is.
 *
 * @param image The image.
 */
export function describeImage({ mimeType, data }: Pick<ImagePart, "mimeType" | "data">): string {
  const { width = 0, height = 0 } = readImageFacts(decodeHead(data)) ?? {};
  const type = /^[\w.+/-]{1,80}$/.test(mimeType) ? mimeType : "image";
  return width === 0 ? `[image ${type}]` : `[image ${type}, ${width}×${height}]`;
}

function decodeHead(data: string): Uint8Array {
  const head = data.slice(0, HEAD_CHARS);
  try {
    return Uint8Array.from(
      atob(head.slice(0, head.length - head.length % 4)),
      (char) => char.charCodeAt(0),
    );
  } catch {
    return new Uint8Array();
  }
}
