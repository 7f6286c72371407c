/** What the first bytes of an image tell. */
export interface ImageFacts {
  /** The media type. */
  readonly mimeType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  /** Columns of pixels; 0 where the header does not tell. */
  readonly width: number;
  /** Rows of pixels; 0 where the header does not tell. */
  readonly height: number;
}

const NO_SIZE = { width: 0, height: 0 };

/** Marks of a JPEG image that its size follows. */
const FRAME_MARKS: ReadonlySet<number> = new Set([
  ...[0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7],
  ...[0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf],
]);

/** What stands before the size of a JPEG image is looked at no further than this. */
const MAX_SEGMENTS = 1_000;

/**
 * Tells the images that models take by their first bytes, whatever a file is called.
 *
 * @param bytes The whole image, or its start.
 * @returns Undefined for anything else.
 */
export function readImageFacts(bytes: Uint8Array): ImageFacts | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (startsWith(bytes, "\x89PNG\r\n\x1a\n")) {
    return { mimeType: "image/png", ...(bytes.length < 24 ? NO_SIZE : pngSize(view)) };
  }
  if (startsWith(bytes, "GIF87a") || startsWith(bytes, "GIF89a")) {
    return { mimeType: "image/gif", ...(bytes.length < 10 ? NO_SIZE : gifSize(view)) };
  }
  if (startsWith(bytes, "RIFF") && startsWith(bytes.subarray(8), "WEBP")) {
    return { mimeType: "image/webp", ...(bytes.length < 30 ? NO_SIZE : webpSize(bytes, view)) };
  }
  if (startsWith(bytes, "\xff\xd8\xff")) return { mimeType: "image/jpeg", ...jpegSize(view) };
  return undefined;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function pngSize(view: DataView): Size {
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

function gifSize(view: DataView): Size {
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

/** Three forms: with a header of its own, with loss, and without. */
function webpSize(bytes: Uint8Array, view: DataView): Size {
  if (startsWith(bytes.subarray(12), "VP8X")) {
    const low = view.getUint32(24, true) & 0xffffff;
    const high = view.getUint32(26, true) >>> 8;
    return { width: low + 1, height: high + 1 };
  }
  if (startsWith(bytes.subarray(12), "VP8L")) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

function jpegSize(view: DataView): Size {
  let at = 2;
  for (let seen = 0; seen < MAX_SEGMENTS && at + 9 <= view.byteLength; seen++) {
    if (view.getUint8(at) !== 0xff) return NO_SIZE;
    const mark = view.getUint8(at + 1);
    if (FRAME_MARKS.has(mark)) {
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    }
    // Filling, and marks that stand alone.
    if (mark === 0xff) at += 1;
    else if (mark === 0x01 || (mark >= 0xd0 && mark <= 0xd8)) at += 2;
    else at += 2 + view.getUint16(at + 2);
  }
  return NO_SIZE;
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (bytes[index] !== text.charCodeAt(index)) return false;
  }
  return true;
}
