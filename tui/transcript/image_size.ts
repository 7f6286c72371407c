import { getImageDimensions } from "@earendil-works/pi-tui/dist/terminal-image.js";

/** The start of an image, which is where its size stands in every format but some JPEGs. */
const MAX_BASE64_CHARS = 256 * 1024;

/**
 * The size of an image in pixels.
 *
 * @param data The image, base64 encoded.
 * @param mimeType Such as `image/png`.
 * @returns Undefined where it cannot be told.
 */
export function imageSize(
  data: string,
  mimeType: string,
): { readonly width: number; readonly height: number } | undefined {
  try {
    const found = getImageDimensions(data.slice(0, MAX_BASE64_CHARS), mimeType);
    return found === null ? undefined : { width: found.widthPx, height: found.heightPx };
  } catch {
    return undefined;
  }
}
