import assert from "node:assert/strict";
import { readImageFacts } from "../../../core/files/image_facts.ts";
import { SAMPLE_IMAGES } from "../../support/sample_images.ts";

const TYPES = {
  png: "image/png",
  gif: "image/gif",
  jpeg: "image/jpeg",
  webpLossy: "image/webp",
  webpLossless: "image/webp",
  webpExtended: "image/webp",
} as const;

Deno.test("readImageFacts() tells images by their first bytes", () => {
  for (const [name, mimeType] of Object.entries(TYPES)) {
    const bytes = SAMPLE_IMAGES[name as keyof typeof TYPES];
    assert.deepEqual(readImageFacts(bytes), { mimeType, width: 3, height: 2 }, name);
  }
});

Deno.test("readImageFacts() takes no image that is cut for a broken one", () => {
  for (const [name, bytes] of Object.entries(SAMPLE_IMAGES)) {
    for (let length = 0; length < bytes.length; length++) readImageFacts(bytes.subarray(0, length));
    const facts = readImageFacts(bytes.subarray(0, 12));
    assert.equal(facts?.width ?? 0, name === "gif" ? 3 : 0, name);
  }
});

Deno.test("readImageFacts() knows nothing of other files, whatever they are called", () => {
  for (const text of ["", "%PDF-1.7", "<svg/>", "RIFF0000WAVE", "BM6\0\0\0", "\x89PNG\n\x1a\n"]) {
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    assert.equal(readImageFacts(bytes), undefined, text);
  }
});
