import assert from "node:assert/strict";
import { mapResourceResult } from "../../../../tools/mcp/results/map_resource_result.ts";
import { SAMPLE_IMAGES } from "../../../support/sample_images.ts";

const PNG = SAMPLE_IMAGES.png.toBase64();
const text = (value: string) => ({ type: "text", text: value });

Deno.test("mapResourceResult() keeps the text of the only content", async () => {
  assert.deepEqual(await mapResourceResult({ contents: [{ uri: "a://1", text: "hello" }] }), {
    content: [text("hello")],
  });
});

Deno.test("mapResourceResult() shows JSON of a verified form", async () => {
  assert.deepEqual(await mapResourceResult({ contents: [{ uri: "a://1", text: '{"a":1}' }] }), {
    content: [
      text('{"a":1}'),
      { type: "ui", block: { kind: "key-value", entries: [{ key: "a", value: 1 }] } },
    ],
  });
});

Deno.test("mapResourceResult() shows images and marks other blobs, by address", async () => {
  const contents = [
    { uri: "a://1", blob: PNG, mimeType: "image/png" },
    { uri: "a://2", blob: btoa("%PDF"), mimeType: "application/pdf" },
    { uri: "a://3", text: "words" },
    { uri: "a://4" },
    null,
  ];
  assert.deepEqual(
    await mapResourceResult({ contents }, { saveBlob: (_, type) => Promise.resolve(`/f/${type}`) }),
    {
      content: [
        text('[resource: a://1] [image: image/png 3x2] saved as "/f/image/png"'),
        { type: "image", mimeType: "image/png", data: PNG },
        text('[resource: a://2] [application/pdf, 4 bytes, saved as "/f/application/pdf"]'),
        text("[resource: a://3]\nwords"),
        text("[resource: a://4][a resource without content]"),
        text("[a resource that cannot be read]"),
      ],
    },
  );
});

Deno.test("mapResourceResult() says what is empty and what is no resource", async () => {
  assert.deepEqual(await mapResourceResult({ contents: [] }), { content: [text("[no content]")] });
  assert.equal((await mapResourceResult({})).isError, true);
});
