import type { ToolResultPart, UiBlock } from "@alisio/sdk";
import { errorMessage } from "../../../core/errors.ts";
import { MAX_ATTACHMENTS } from "../../../core/run/attachments.ts";
import { visibleOutput } from "../../../core/process/visible_text.ts";
import { boundText, MAX_RESULT_CHARS } from "../../../core/text/bound_text.ts";
import { formatBytes, imageMarker, mediaMarker, readMedia } from "./media.ts";
import { shortName } from "./short_name.ts";
import { withoutBinary } from "./without_binary.ts";

/** What results are mapped with. */
export interface ResultPorts {
  /**
   * Stores bytes that no model is shown, and text that is too long for it, and answers their path;
   * absent where nothing is stored.
   */
  readonly saveBlob?: (bytes: Uint8Array, mimeType: string) => Promise<string>;
}

/** Parts of a server's answer that are looked at. */
export const MAX_PARTS = 200;

const MAX_SAVED = 20;
const MAX_SAVED_BYTES = 64 * 1024 * 1024;
const MAX_IMAGES_BYTES = 20 * 1024 * 1024;
/** What the last line about the rest takes. */
const NOTE_CHARS = 1_024;
/** What the mark takes where a text is cut. */
const MARK_CHARS = 64;

interface Entry {
  /** The text, as it came. */
  readonly text: string;
  /** Shown to people in place of the text. */
  readonly shown?: ToolResultPart;
}

/**
 * Collects the parts of one result. Each block and each image stands right behind the text that
 * says the same, which is all that a model is sent.
 */
export class ResultParts {
  readonly #ports: ResultPorts;
  readonly #entries: Entry[] = [];
  /** Base64 data that stands in the result already. */
  readonly #known = new Set<string>();
  #images = 0;
  #imageBytes = 0;
  #saved = 0;
  #savedBytes = 0;

  /** @param ports What stores bytes. */
  constructor(ports: ResultPorts) {
    this.#ports = ports;
  }

  /**
   * Adds a text.
   *
   * @param text The text, as it came.
   * @param block Shows the same to people.
   */
  addText(text: string, block?: UiBlock): void {
    this.#entries.push(block === undefined ? { text } : { text, shown: { type: "ui", block } });
  }

  /**
   * Adds data that came as base64: an image if it is one, else a marker.
   *
   * @param data What came as data.
   * @param declared What came as its media type.
   * @param before What stands before it in its line, such as its address.
   */
  async addMedia(data: unknown, declared: unknown, before = ""): Promise<void> {
    const media = readMedia(data, declared);
    if (typeof data === "string" && media.kind !== "unreadable") this.#known.add(data);
    if (media.kind === "unreadable") return this.addText(before + mediaMarker(media));
    const place = await this.#save(media.bytes, mimeTypeOf(media));
    if (media.kind === "other") return this.addText(before + mediaMarker(media, place));
    const marker = `${before}${imageMarker(media.facts)}${place === undefined ? "" : ` ${place}`}`;
    this.#known.add(media.data);
    this.#imageBytes += media.bytes.length;
    const isShown = this.#images < MAX_ATTACHMENTS && this.#imageBytes <= MAX_IMAGES_BYTES;
    if (!isShown) return this.addText(marker);
    this.#images += 1;
    const { data: base64, facts: { mimeType } } = media;
    this.#entries.push({ text: marker, shown: { type: "image", mimeType, data: base64 } });
  }

  /** What was collected, bounded: a text that is too long is cut, and kept whole in a file. */
  async finish(): Promise<readonly ToolResultPart[]> {
    const cleaned = this.#entries.map(({ text }) => withoutBinary(text, this.#known));
    const chars = cleaned.reduce((sum, { text }) => sum + text.length, 0);
    const isCut = chars > MAX_RESULT_CHARS;
    const limit = isCut
      ? largestShare(cleaned.map(({ text }) => text.length), MAX_RESULT_CHARS - NOTE_CHARS)
      : MAX_RESULT_CHARS;
    const parts = this.#entries.flatMap(({ shown }, index) => {
      const text = visible(boundText(cleaned[index]?.text ?? "", limit).text);
      const part: ToolResultPart = { type: "text", text };
      return shown === undefined ? [part] : [part, shown];
    });
    if (!isCut && !cleaned.some(({ isLossy }) => isLossy)) return parts;
    const note = await this.#noteOfRest(chars);
    return note === undefined ? parts : [...parts, { type: "text", text: note }];
  }

  async #noteOfRest(chars: number): Promise<string | undefined> {
    const bytes = new TextEncoder().encode(this.#entries.map(({ text }) => text).join("\n"));
    const place = await this.#save(bytes, "text/plain");
    return place === undefined ? undefined : `[all ${chars} characters of this result: ${place}]`;
  }

  /** Where it is, or why it is nowhere. */
  async #save(bytes: Uint8Array, mimeType: string): Promise<string | undefined> {
    if (this.#ports.saveBlob === undefined) return undefined;
    if (this.#saved >= MAX_SAVED || this.#savedBytes + bytes.length > MAX_SAVED_BYTES) {
      return `not saved, because one result saves at most ${MAX_SAVED} files of together ` +
        formatBytes(MAX_SAVED_BYTES);
    }
    try {
      const path = await this.#ports.saveBlob(bytes, mimeType);
      this.#saved += 1;
      this.#savedBytes += bytes.length;
      return `saved as ${JSON.stringify(path)}`;
    } catch (error) {
      return `not saved: ${shortName(errorMessage(error))}`;
    }
  }
}

function mimeTypeOf(media: Exclude<ReturnType<typeof readMedia>, { kind: "unreadable" }>): string {
  return media.kind === "image" ? media.facts.mimeType : media.mimeType;
}

/** Colours go, and every other control character except tab and line ends is shown. */
function visible(text: string): string {
  return visibleOutput(new TextEncoder().encode(text));
}

/** How long a text may be at most so that all of them fit: short ones stay whole. */
function largestShare(lengths: readonly number[], room: number): number {
  let left = room;
  const sorted = lengths.toSorted((a, b) => a - b);
  for (const [index, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index));
    if (length > share) return Math.max(0, share - MARK_CHARS);
    left -= length;
  }
  return room;
}
