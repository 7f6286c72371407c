import type { ImagePart, ModelInfo } from "@alisio/sdk";
import { AlisioError } from "../errors.ts";
import { readImageFacts } from "../files/image_facts.ts";
import type { StoredMessage } from "../session/stored_message.ts";

/** Images of one prompt, whoever attaches them. */
export const MAX_ATTACHMENTS = 8;

/** Bytes of one image. */
export const MAX_ATTACHMENT_BYTES = 10 * 1024 * 1024;

/** As much of an image as tells what it is, in base64. */
const HEAD_CHARS = 1_024;

/**
 * Refuses images that no server would take, before anything is stored or sent.
 *
 * @param attachments Images of a prompt.
 * @param model What is known of the model, and the name that the person knows it by.
 * @throws {AlisioError} `attachment_invalid`.
 */
export function assertAttachments(
  attachments: readonly ImagePart[],
  model: { readonly name: string; readonly info?: ModelInfo },
): void {
  if (attachments.length === 0) return;
  if (attachments.length > MAX_ATTACHMENTS) {
    throw refused(`a prompt takes at most ${MAX_ATTACHMENTS} of them; remove some`);
  }
  for (const [index, image] of attachments.entries()) assertImage(image, index + 1);
  const takes = model.info?.inputModalities;
  if (takes !== undefined && !takes.includes("image")) {
    throw refused(
      `model "${model.name}" takes only ${takes.join(" and ")}; remove them, or choose a model ` +
        "that takes images",
    );
  }
}

/**
 * Messages for a model that takes no images: a note stands where one was.
 *
 * @param messages Messages of a session.
 */
export function withoutImages(messages: readonly StoredMessage[]): readonly StoredMessage[] {
  return messages.map((message) =>
    message.role !== "user" ? message : {
      ...message,
      content: message.content.map((part) =>
        part.type === "text"
          ? part
          : { type: "text" as const, text: `[${part.mimeType}: this model takes no images]` }
      ),
    }
  );
}

function assertImage({ mimeType, data }: ImagePart, position: number): void {
  const bytes = Math.floor(data.length / 4) * 3;
  if (bytes > MAX_ATTACHMENT_BYTES + 3) {
    throw refused(`number ${position} is larger than 10 MB; make it smaller`);
  }
  const facts = headOf(data);
  if (facts === undefined) {
    throw refused(`number ${position} is no PNG, JPEG, GIF or WebP image; remove it`);
  }
  if (facts.mimeType !== mimeType) {
    throw refused(`number ${position} is of type ${facts.mimeType}, not what it is said to be`);
  }
}

function headOf(data: string): ReturnType<typeof readImageFacts> {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(data) || data.length % 4 !== 0) return undefined;
  return readImageFacts(Uint8Array.fromBase64(data.slice(0, HEAD_CHARS)));
}

function refused(reason: string): AlisioError {
  return new AlisioError("attachment_invalid", `Cannot send the images: ${reason}`);
}
