import assert from "node:assert/strict";
import { mapPromptResult } from "../../../../tools/mcp/results/map_prompt_result.ts";
import { SAMPLE_IMAGES } from "../../../support/sample_images.ts";

const PNG = SAMPLE_IMAGES.png.toBase64();
const text = (value: string) => ({ type: "text", text: value });

Deno.test("mapPromptResult() puts who says it before each message", async () => {
  const messages = [
    { role: "user", content: { type: "text", text: "Review this" } },
    { role: "assistant", content: { type: "image", data: PNG, mimeType: "image/png" } },
    { role: "system", content: { type: "text", text: "odd" } },
    7,
  ];
  assert.deepEqual(await mapPromptResult({ description: "A review", messages }), {
    content: [
      text("A review"),
      text("user: Review this"),
      text("assistant:"),
      text("[image: image/png 3x2]"),
      { type: "image", mimeType: "image/png", data: PNG },
      text("user: odd"),
      text("user:"),
      text("[a part that cannot be read]"),
    ],
  });
});

Deno.test("mapPromptResult() says what is empty and what is no prompt", async () => {
  assert.deepEqual(await mapPromptResult({ messages: [] }), { content: [text("[no messages]")] });
  assert.equal((await mapPromptResult("x")).isError, true);
});
