import type { ImagePart } from "@alisio/sdk";
import { readImageFacts } from "../../core/files/image_facts.ts";

/** Images of one prompt. */
const MAX_IMAGES = 4;

/** Bytes of one image. */
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

interface AttachedImage {
  readonly part: ImagePart;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
}

/** The images that go with the next prompt. */
export class Attachments {
  #images: readonly AttachedImage[] = [];

  /**
   * Adds an image.
   *
   * @param bytes The image.
   * @throws {RangeError} If it is none, too large or one too many. Its message is for the person.
   */
  add(bytes: Uint8Array<ArrayBuffer>): void {
    const facts = readImageFacts(bytes);
    if (facts === undefined) throw refused("it is no PNG, JPEG, GIF or WebP image");
    if (bytes.length > MAX_IMAGE_BYTES) throw tooLarge();
    if (this.#images.length >= MAX_IMAGES) {
      throw refused(`a prompt takes ${MAX_IMAGES} of them; send it, or remove one first`);
    }
    const { mimeType, width, height } = facts;
    const part: ImagePart = { type: "image", mimeType, data: bytes.toBase64() };
    this.#images = [...this.#images, { part, bytes: bytes.length, width, height }];
  }

  /** Removes the image that was added last. Answers whether there was one. */
  removeLast(): boolean {
    const hadSome = this.#images.length > 0;
    this.#images = this.#images.slice(0, -1);
    return hadSome;
  }

  /** Takes all of them away, for sending. */
  take(): readonly ImagePart[] {
    const parts = this.#images.map(({ part }) => part);
    this.#images = [];
    return parts;
  }

  /**
   * Puts images back that were taken away and could not be sent.
   *
   * @param parts The images.
   */
  putBack(parts: readonly ImagePart[]): void {
    for (const { data } of parts) this.add(Uint8Array.fromBase64(data));
  }

  /** One row for each, such as `[1] image/png 1024x768, 42.0 KB`. */
  rows(): readonly string[] {
    return this.#images.map(({ part, bytes, width, height }, index) => {
      const size = width === 0 ? "" : ` ${width}x${height}`;
      return `[${index + 1}] ${part.mimeType}${size}, ${formatBytes(bytes)}`;
    });
  }
}

/** Says that an image is larger than a prompt takes. */
export function tooLarge(): RangeError {
  return refused("it is larger than 5 MB");
}

function refused(reason: string): RangeError {
  return new RangeError(`Cannot attach the image: ${reason}`);
}

function formatBytes(bytes: number): string {
  return bytes < 1024 * 1024
    ? `${(bytes / 1024).toFixed(1)} KB`
    : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
