import { type ImageFacts, readImageFacts } from "../../../core/files/image_facts.ts";
import { MAX_ATTACHMENT_BYTES } from "../../../core/run/attachments.ts";
import { shortName } from "./short_name.ts";

/** Bytes of anything that is looked at, whatever it is. */
const MAX_MEDIA_BYTES = 50 * 1024 * 1024;

const MEDIA_TYPE_REGEXP = /^[a-z0-9][a-z0-9.+-]{0,60}\/[a-z0-9][a-z0-9.+-]{0,100}$/;

/** What base64 data of a server turned out to be. */
export type Media =
  | {
    readonly kind: "image";
    /** What its bytes are, whatever the server called them. */
    readonly facts: ImageFacts;
    readonly bytes: Uint8Array;
    /** Canonical base64. */
    readonly data: string;
  }
  | { readonly kind: "other"; readonly mimeType: string; readonly bytes: Uint8Array }
  | { readonly kind: "unreadable"; readonly mimeType: string; readonly reason: string };

/**
 * Decodes base64 data and looks at what it is: an image is known by its first bytes alone.
 *
 * @param data What the server sent as data.
 * @param declared The media type that it named.
 */
export function readMedia(data: unknown, declared: unknown): Media {
  const mimeType = mediaType(declared);
  const unreadable = (reason: string): Media => ({ kind: "unreadable", mimeType, reason });
  if (typeof data !== "string" || data === "") return unreadable("no data came with it");
  if (data.length > MAX_MEDIA_BYTES / 3 * 4 + 4) {
    return unreadable(`larger than ${formatBytes(MAX_MEDIA_BYTES)}`);
  }
  const bytes = decodeBase64(data);
  if (bytes === undefined) return unreadable("its data is not base64");
  const facts = readImageFacts(bytes);
  if (facts === undefined || bytes.length > MAX_ATTACHMENT_BYTES) {
    return { kind: "other", mimeType: facts?.mimeType ?? mimeType, bytes };
  }
  return { kind: "image", facts, bytes, data: bytes.toBase64() };
}

/**
 * A media type that a server named, without its parameters.
 *
 * @param declared What the server sent.
 * @returns `application/octet-stream` for what is none.
 */
export function mediaType(declared: unknown): string {
  const type = typeof declared === "string"
    ? declared.slice(0, 200).split(";")[0]?.trim().toLowerCase() ?? ""
    : "";
  return MEDIA_TYPE_REGEXP.test(type) ? type : "application/octet-stream";
}

/**
 * What stands for an image in a text: `[image: image/png 640x480]`.
 *
 * @param facts What its bytes tell.
 */
export function imageMarker({ mimeType, width, height }: ImageFacts): string {
  return `[image: ${mimeType}${width > 0 && height > 0 ? ` ${width}x${height}` : ""}]`;
}

/**
 * What stands for anything else that is no text.
 *
 * @param media What it is.
 * @param place Where it is kept, or why it is not; nothing where nobody keeps it.
 */
export function mediaMarker(
  media: Exclude<Media, { readonly kind: "image" }>,
  place?: string,
): string {
  if (media.kind === "unreadable") {
    return `[${media.mimeType}: cannot be read, because ${shortName(media.reason)}]`;
  }
  const facts = `${media.mimeType}, ${formatBytes(media.bytes.length)}`;
  return `[${facts}${place === undefined ? "" : `, ${place}`}]`;
}

/**
 * A size for people.
 *
 * @param bytes How many bytes.
 */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** Some servers use the alphabet of addresses. */
function decodeBase64(data: string): Uint8Array | undefined {
  for (const alphabet of ["base64", "base64url"] as const) {
    try {
      return Uint8Array.fromBase64(data, { alphabet });
    } catch {
      // Not in this alphabet.
    }
  }
  return undefined;
}
