import assert from "node:assert/strict";
import type { ToolResult, ToolResultPart } from "@alisio/sdk";
import { MAX_RESULT_CHARS } from "../../../../core/text/bound_text.ts";
import { resultText } from "../../../../core/tools/result_text.ts";
import { mapToolResult } from "../../../../tools/mcp/results/map_tool_result.ts";
import { SAMPLE_IMAGES } from "../../../support/sample_images.ts";
import { withTempDir } from "../../../support/temp.ts";

const PNG = SAMPLE_IMAGES.png.toBase64();
const TABLE = { columns: ["name", "size"], rows: [["a", 1], ["b", 2]] };

const text = (value: string): ToolResultPart => ({ type: "text", text: value });
const said = (value: unknown) => ({ type: "text", text: JSON.stringify(value) });

interface Row {
  readonly name: string;
  readonly given: unknown;
  readonly expected: ToolResult;
}

const KEY_VALUE = {
  kind: "key-value",
  entries: [{ key: "city", value: "Porto" }, { key: "degrees", value: 21.5 }],
} as const;
const TABLE_BLOCK = {
  kind: "table",
  columns: ["name", "size"],
  rows: [["a", 1], ["b", 2]],
} as const;
const NESTED = { user: { id: 1 }, tags: ["x"] };

const ROWS: readonly Row[] = [
  {
    name: "keeps text",
    given: { content: [{ type: "text", text: "hello" }] },
    expected: { content: [text("hello")] },
  },
  {
    name: "keeps an error",
    given: { content: [{ type: "text", text: "no such city" }], isError: true },
    expected: { content: [text("no such city")], isError: true },
  },
  {
    name: "says that nothing came",
    given: { content: [] },
    expected: { content: [text("[no content]")] },
  },
  {
    name: "shows structured content once, beside its text copy",
    given: { content: [said(TABLE)], structuredContent: TABLE },
    expected: { content: [text(JSON.stringify(TABLE)), { type: "ui", block: TABLE_BLOCK }] },
  },
  {
    name: "knows a copy with other spaces and another order",
    given: {
      content: [text('{ "degrees": 21.5,\n "city": "Porto" }')],
      structuredContent: { city: "Porto", degrees: 21.5 },
    },
    expected: {
      content: [text('{ "degrees": 21.5,\n "city": "Porto" }'), { type: "ui", block: KEY_VALUE }],
    },
  },
  {
    name: "gives structured content without a copy a text",
    given: { structuredContent: { city: "Porto", degrees: 21.5 } },
    expected: {
      content: [text('{"city":"Porto","degrees":21.5}'), { type: "ui", block: KEY_VALUE }],
    },
  },
  {
    name: "keeps words that say something else than the structured content",
    given: { content: [text("two rows")], structuredContent: TABLE },
    expected: {
      content: [text("two rows"), text(JSON.stringify(TABLE)), { type: "ui", block: TABLE_BLOCK }],
    },
  },
  {
    name: "shows a text that is JSON of a verified form",
    given: { content: [said({ headers: ["name", "size"], rows: [{ size: 1, name: "a" }] })] },
    expected: {
      content: [
        text('{"headers":["name","size"],"rows":[{"size":1,"name":"a"}]}'),
        { type: "ui", block: { kind: "table", columns: ["name", "size"], rows: [["a", 1]] } },
      ],
    },
  },
  {
    name: "leaves nested JSON as it came",
    given: { content: [text('{ "user": { "id": 1 } }')] },
    expected: { content: [text('{ "user": { "id": 1 } }')] },
  },
  {
    name: "leaves structured content without a form as text, once",
    given: { content: [said(NESTED)], structuredContent: NESTED },
    expected: { content: [text(JSON.stringify(NESTED))] },
  },
  {
    name: "takes a wrapped text for the text that it is",
    given: { content: [text("hello")], structuredContent: { result: "hello" } },
    expected: { content: [text("hello")] },
  },
  {
    name: "takes a wrapped list for the texts that it is",
    given: { content: [text("1"), text("two")], structuredContent: { result: [1, "two"] } },
    expected: { content: [text("1"), text("two")] },
  },
  {
    name: "shows no block of an error",
    given: { content: [said({ city: "Porto" })], isError: true },
    expected: { content: [text('{"city":"Porto"}')], isError: true },
  },
  {
    name: "puts the words of an image before it",
    given: { content: [{ type: "image", data: PNG, mimeType: "image/png" }] },
    expected: {
      content: [
        text("[image: image/png 3x2]"),
        { type: "image", mimeType: "image/png", data: PNG },
      ],
    },
  },
  {
    name: "believes the bytes of an image, not its name",
    given: { content: [{ type: "image", data: SAMPLE_IMAGES.gif.toBase64(), mimeType: "text/x" }] },
    expected: {
      content: [
        text("[image: image/gif 3x2]"),
        { type: "image", mimeType: "image/gif", data: SAMPLE_IMAGES.gif.toBase64() },
      ],
    },
  },
  {
    name: "takes nothing for an image that is none",
    given: { content: [{ type: "image", data: btoa("<svg/>"), mimeType: "image/svg+xml" }] },
    expected: { content: [text("[image/svg+xml, 6 bytes]")] },
  },
  {
    name: "says that data is no base64",
    given: { content: [{ type: "image", data: "§§§", mimeType: "image/png" }] },
    expected: {
      content: [text("[image/png: cannot be read, because its data is not base64]")],
    },
  },
  {
    name: "says that an image has no data",
    given: { content: [{ type: "image", mimeType: "image/png\x1b[2J" }] },
    expected: {
      content: [
        text("[application/octet-stream: cannot be read, because no data came with it]"),
      ],
    },
  },
  {
    name: "marks audio",
    given: { content: [{ type: "audio", data: btoa("RIFF"), mimeType: "audio/wav" }] },
    expected: { content: [text("[audio/wav, 4 bytes]")] },
  },
  {
    name: "keeps the text of an embedded resource",
    given: { content: [{ type: "resource", resource: { uri: "note://1", text: "remember" } }] },
    expected: { content: [text("[resource: note://1]\nremember")] },
  },
  {
    name: "marks an embedded blob",
    given: {
      content: [{
        type: "resource",
        resource: { uri: "f://z", blob: btoa("PK"), mimeType: "application/zip; a=b" },
      }],
    },
    expected: { content: [text("[resource: f://z] [application/zip, 2 bytes]")] },
  },
  {
    name: "shows an embedded image",
    given: { content: [{ type: "resource", resource: { uri: "f://i", blob: PNG } }] },
    expected: {
      content: [
        text("[resource: f://i] [image: image/png 3x2]"),
        { type: "image", mimeType: "image/png", data: PNG },
      ],
    },
  },
  {
    name: "marks a link",
    given: {
      content: [{
        type: "resource_link",
        uri: "f://big\nfile",
        name: "big",
        description: "all of it",
        mimeType: "text/csv",
        size: 9,
      }],
    },
    expected: {
      content: [text("[resource link: f://big\\x0afile (text/csv, 9 bytes)] big - all of it")],
    },
  },
  {
    name: "names a part that it does not know",
    given: { content: [{ type: "hologram" }, null, { type: "text", text: 7 }] },
    expected: {
      content: [
        text('[a part of type "hologram", which cannot be shown]'),
        text("[a part that cannot be read]"),
        text("[a text that cannot be read]"),
      ],
    },
  },
  {
    name: "shows control characters and drops colours",
    given: { content: [text("\x1b[31mred\x1b[0m\x07 \ud800 tab\tend")] },
    expected: { content: [text("red\\x07 \ufffd tab\tend")] },
  },
];

for (const { name, given, expected } of ROWS) {
  Deno.test(`mapToolResult() ${name}`, async () => {
    assert.deepEqual(await mapToolResult(given), expected);
  });
}

for (const given of [null, 7, "text", [], {}, { content: "text" }]) {
  Deno.test(`mapToolResult() takes ${JSON.stringify(given)} for no result`, async () => {
    const { isError, content } = await mapToolResult(given);
    assert.equal(isError, true);
    assert.match(resultText(content), /no result of a tool/);
  });
}

Deno.test("mapToolResult() keeps base64 out of the text and says where the bytes are", () =>
  withTempDir(async (folder) => {
    const files: [string, number][] = [];
    const saveBlob = async (bytes: Uint8Array, mimeType: string) => {
      const path = `${folder}/${files.length}`;
      await Deno.writeFile(path, bytes);
      files.push([mimeType, bytes.length]);
      return path;
    };
    const image = new Uint8Array(1024 * 1024).map((_, index) => index * 7 % 251);
    image.set(SAMPLE_IMAGES.png);
    const data = image.toBase64();
    const other = new Uint8Array(9_000).map((_, index) => index * 11 % 253);
    const result = await mapToolResult({
      content: [
        { type: "image", data, mimeType: "image/png" },
        { type: "resource", resource: { uri: "f://a", blob: other.toBase64() } },
        { type: "text", text: `inline data:image/png;base64,${other.toReversed().toBase64()} end` },
      ],
      structuredContent: { screenshot: data, width: 3 },
    }, { saveBlob });
    const words = resultText(result.content);
    assert.doesNotMatch(words, /[A-Za-z0-9+/]{200}/);
    assert.match(words, /^\[image: image\/png 3x2\] saved as ".+\/0"$/m);
    assert.match(words, /\[application\/octet-stream, 8\.8 KB, saved as ".+\/1"\]/);
    assert.match(words, /inline data:image\/png;base64,\[base64 data, 8\.8 KB\] end/);
    assert.match(words, /"screenshot":"\[data of another part\]"/);
    assert.match(words, /\[all \d+ characters of this result: saved as ".+\/2"\]$/);
    assert.deepEqual(files.map(([type]) => type), [
      "image/png",
      "application/octet-stream",
      "text/plain",
    ]);
    assert.deepEqual(files[0]?.[1], image.length);
    assert.equal(result.content.filter((part) => part.type === "image").length, 1);
  }));

Deno.test("mapToolResult() bounds megabytes of text and keeps short texts beside them", () =>
  withTempDir(async (folder) => {
    const path = `${folder}/all.txt`;
    const long = "a long line of words\n".repeat(200_000);
    const { content } = await mapToolResult(
      { content: [text("before"), text(long), text("after")] },
      {
        saveBlob: async (bytes) => {
          await Deno.writeFile(path, bytes);
          return path;
        },
      },
    );
    const words = resultText(content);
    assert.ok(words.length <= MAX_RESULT_CHARS);
    assert.match(words, /^before\na long line/);
    assert.match(words, /characters left out/);
    assert.match(words, /\nafter\n\[all 4200011 characters of this result: saved as /);
    assert.equal(await Deno.readTextFile(path), `before\n${long}\nafter`);
  }));

Deno.test("mapToolResult() goes on where nothing can be saved", async () => {
  const { content } = await mapToolResult(
    { content: [{ type: "audio", data: btoa("x"), mimeType: "audio/mpeg" }] },
    { saveBlob: () => Promise.reject(new Error("disk full")) },
  );
  assert.deepEqual(content, [text("[audio/mpeg, 1 bytes, not saved: disk full]")]);
});

Deno.test("mapToolResult() bounds parts, images and files of one result", async () => {
  let saved = 0;
  const part = { type: "image", data: PNG, mimeType: "image/png" };
  const { content } = await mapToolResult({ content: Array(5_000).fill(part) }, {
    saveBlob: () => Promise.resolve(String(saved++)),
  });
  assert.equal(content.filter(({ type }) => type === "image").length, 8);
  assert.equal(saved, 20);
  const words = resultText(content);
  assert.match(words, /\[4800 parts left out\]$/);
  assert.match(words, /not saved, because one result saves at most 20 files/);
});

Deno.test("mapToolResult() survives JSON that is nested without end", async () => {
  const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const structuredContent = JSON.parse(deep);
  const { content } = await mapToolResult({ content: [text("x")], structuredContent });
  assert.equal(content.length, 2);
  const copied = await mapToolResult({ content: [text(deep)], structuredContent });
  assert.ok(resultText(copied.content).length <= MAX_RESULT_CHARS);
});

Deno.test("mapToolResult() takes 50 MB of base64 without sending any of it", async () => {
  const data = "AAECAwQFBgcICQoL".repeat(50 * 1024 * 1024 / 16);
  const { content } = await mapToolResult({
    content: [{ type: "image", data, mimeType: "image/png" }, text(data)],
  });
  const words = resultText(content);
  assert.ok(words.length < 500, words.slice(0, 500));
  assert.match(words, /^\[image\/png, 37\.5 MB\]/);
});
