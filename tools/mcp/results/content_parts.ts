import { isObject } from "../../../core/config/is_object.ts";
import type { ResultParts } from "./result_parts.ts";
import { mediaType } from "./media.ts";
import { shortName } from "./short_name.ts";

/**
 * Adds one part of a server's answer that is no plain text.
 *
 * @param parts Where it is added.
 * @param part The part, of which nothing is known.
 */
export async function addPart(parts: ResultParts, part: unknown): Promise<void> {
  if (!isObject(part)) return parts.addText("[a part that cannot be read]");
  switch (part.type) {
    case "text":
      return parts.addText(
        typeof part.text === "string" ? part.text : "[a text that cannot be read]",
      );
    case "image":
    case "audio":
      return await parts.addMedia(part.data, part.mimeType);
    case "resource":
      return await addResource(parts, part.resource, { isNamed: true });
    case "resource_link":
      return parts.addText(linkMarker(part));
    default:
      return parts.addText(
        `[a part of type ${JSON.stringify(shortName(String(part.type)))}, ` +
          "which cannot be shown]",
      );
  }
}

/**
 * Adds the content of a resource: its text, an image, or a marker.
 *
 * @param parts Where it is added.
 * @param resource The content, of which nothing is known.
 * @param options Whether its address stands before it.
 */
export async function addResource(
  parts: ResultParts,
  resource: unknown,
  { isNamed }: { readonly isNamed: boolean },
): Promise<void> {
  if (!isObject(resource)) return parts.addText("[a resource that cannot be read]");
  const { uri, text, blob, mimeType } = resource;
  const name = isNamed && typeof uri === "string" ? `[resource: ${shortName(uri)}]` : "";
  if (typeof text === "string") return parts.addText(name === "" ? text : `${name}\n${text}`);
  if (blob === undefined) return parts.addText(`${name}[a resource without content]`);
  await parts.addMedia(blob, mimeType, name === "" ? "" : `${name} `);
}

function linkMarker(link: Readonly<Record<string, unknown>>): string {
  const { uri, name, title, description, mimeType, size } = link;
  const facts = [
    ...(typeof mimeType === "string" ? [mediaType(mimeType)] : []),
    ...(typeof size === "number" && Number.isFinite(size) ? [`${size} bytes`] : []),
  ];
  const words = [title ?? name, description]
    .filter((each) => typeof each === "string" && each !== "")
    .map((each) => shortName(String(each)));
  return `[resource link: ${typeof uri === "string" ? shortName(uri) : "without address"}` +
    `${facts.length === 0 ? "" : ` (${facts.join(", ")})`}]` +
    `${words.length === 0 ? "" : ` ${words.join(" - ")}`}`;
}
