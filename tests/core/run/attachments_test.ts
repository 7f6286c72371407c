import assert from "node:assert/strict";
import type { ImagePart, ModelInfo } from "@alisio/sdk";
import { assertAttachments } from "../../../core/run/attachments.ts";
import { PlayedProvider, says, withRun } from "../../support/run_harness.ts";
import { SAMPLE_IMAGES } from "../../support/sample_images.ts";

const PNG: ImagePart = {
  type: "image",
  mimeType: "image/png",
  data: SAMPLE_IMAGES.png.toBase64(),
};
const TEXT_ONLY: ModelInfo = { id: "m", inputModalities: ["text"] };

const REFUSED: readonly (readonly [name: string, images: readonly ImagePart[], reason: string])[] =
  [
    [
      "too many",
      Array.from({ length: 9 }, () => PNG),
      "a prompt takes at most 8 of them; remove some",
    ],
    [
      "too large",
      [PNG, { ...PNG, data: PNG.data + "AAAA".repeat(3_495_300) }],
      "number 2 is larger than 10 MB; make it smaller",
    ],
    [
      "no base64",
      [{ ...PNG, data: "*" }],
      "number 1 is no PNG, JPEG, GIF or WebP image; remove it",
    ],
    [
      "no image",
      [{ ...PNG, data: btoa("<svg>") + "AAAA" }],
      "number 1 is no PNG, JPEG, GIF or WebP image; remove it",
    ],
    [
      "another type",
      [{ ...PNG, mimeType: "image/gif" }],
      "number 1 is of type image/png, not what it is said to be",
    ],
  ];

for (const [name, images, reason] of REFUSED) {
  Deno.test(`assertAttachments() refuses ${name}`, () => {
    assert.throws(() => assertAttachments(images, { name: "m" }), {
      code: "attachment_invalid",
      message: `Cannot send the images: ${reason}`,
    });
  });
}

Deno.test("assertAttachments() holds images against what is known of the model", () => {
  assertAttachments([PNG], { name: "m" });
  assertAttachments([PNG], { name: "m", info: { id: "m", inputModalities: ["text", "image"] } });
  assertAttachments([], { name: "m", info: TEXT_ONLY });
  assert.throws(() => assertAttachments([PNG], { name: "p/m", info: TEXT_ONLY }), {
    message:
      'Cannot send the images: model "p/m" takes only text; remove them, or choose a model ' +
      "that takes images",
  });
});

const PROMPT = { signal: new AbortController().signal, observers: [] };

Deno.test("OpenSession.run() stores images with the prompt, and sends them each time", () =>
  withRun({}, async (harness) => {
    const provider = new PlayedProvider([says("one"), says("two")]);
    const session = await harness.open(provider);
    await session.run("look", { ...PROMPT, attachments: [PNG] });
    await session.run("again", PROMPT);
    const first = { role: "user", content: [{ type: "text", text: "look" }, PNG] };
    assert.deepEqual(harness.messages()[0], first);
    assert.deepEqual(provider.requests.map(({ messages }) => messages[0]), [first, first]);
    await session.close();
  }));

Deno.test("OpenSession.run() refuses an image before anything is stored", () =>
  withRun({}, async (harness) => {
    const provider = new PlayedProvider([says("one")]);
    const session = await harness.open(provider, { info: TEXT_ONLY });
    const refused = session.run("look", { ...PROMPT, attachments: [PNG] });
    await assert.rejects(refused, { code: "attachment_invalid" });
    assert.deepEqual(harness.messages(), []);
    assert.equal((await session.run("go on", PROMPT)).text, "one");
    await session.close();
  }));

Deno.test("OpenSession.run() goes on without earlier images with a model that takes none", () =>
  withRun({}, async (harness) => {
    const seeing = await harness.open([says("one")]);
    await seeing.run("look", { ...PROMPT, attachments: [PNG] });
    await seeing.close();
    const provider = new PlayedProvider([says("two")]);
    const session = await harness.open(provider, { info: TEXT_ONLY });
    await session.run("and?", PROMPT);
    assert.deepEqual(provider.requests[0]?.messages[0], {
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "text", text: "[image/png: this model takes no images]" },
      ],
    });
    const stored = { role: "user", content: [{ type: "text", text: "look" }, PNG] };
    assert.deepEqual(harness.messages()[0], stored);
    await session.close();
  }));
