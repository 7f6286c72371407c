import type { ImagePart } from "@alisio/sdk";

/** Bytes that hold the size of every picture but an odd one. */
const HEAD_CHARS = 64 * 1024;

/**
 * Says of an image what can be said without looking at it: its type and, where its first bytes tell,
 * how large it is.
 *
 * @param image The image.
 */
export function imageFacts({ mimeType, data }: Pick<ImagePart, "mimeType" | "data">): string {
  const size = imageSize(data);
  const type = /^[\w.+/-]{1,80}$/.test(mimeType) ? mimeType : "image";
  return size === null ? `[image ${type}]` : `[image ${type}, ${size[0]}×${size[1]}]`;
}

function imageSize(data: string): readonly [width: number, height: number] | null {
  const bytes = decodeHead(data);
  const view = new DataView(bytes.buffer);
  if (view.byteLength < 24) return null;
  if (view.getUint32(0) === 0x89504e47) return [view.getUint32(16), view.getUint32(20)];
  if (view.getUint32(0) === 0x47494638) {
    return [view.getUint16(6, true), view.getUint16(8, true)];
  }
  return view.getUint16(0) === 0xffd8 ? jpegSize(view) : null;
}

function decodeHead(data: string): Uint8Array<ArrayBuffer> {
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

/** Goes from segment to segment until one says how large the picture is. */
function jpegSize(view: DataView): readonly [width: number, height: number] | null {
  for (let at = 2; at + 9 < view.byteLength;) {
    const marker = view.getUint16(at);
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf &&
      ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return [view.getUint16(at + 7), view.getUint16(at + 5)];
    if (marker < 0xff00) return null;
    at += 2 + view.getUint16(at + 2);
  }
  return null;
}
