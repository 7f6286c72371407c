import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  type BinaryForm,
  decodeText,
  detectTextForm,
  encodeText,
  type TextForm,
} from "../../../core/files/text_encoding.ts";

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function textForm(encoding: TextForm["encoding"], bomBytes: TextForm["bomBytes"]): TextForm {
  return { kind: "text", encoding, bomBytes };
}

function binaryForm(type: string): BinaryForm {
  return { kind: "binary", type };
}

interface Row {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly form: TextForm | BinaryForm;
}

const ROWS: readonly Row[] = [
  { name: "an empty file", bytes: bytesOf(""), form: textForm("utf-8", 0) },
  { name: "ASCII", bytes: bytesOf("a\tb\r\n\x1b[0m"), form: textForm("utf-8", 0) },
  { name: "UTF-8", bytes: new TextEncoder().encode("é漢😀"), form: textForm("utf-8", 0) },
  { name: "UTF-8 with a mark", bytes: bytesOf("\xef\xbb\xbfa"), form: textForm("utf-8", 3) },
  { name: "UTF-16LE", bytes: bytesOf("\xff\xfea\0"), form: textForm("utf-16le", 2) },
  { name: "UTF-16BE", bytes: bytesOf("\xfe\xff\0a"), form: textForm("utf-16be", 2) },
  { name: "Latin-1", bytes: bytesOf("caf\xe9 au lait"), form: textForm("unknown-8bit", 0) },
  { name: "GBK", bytes: bytesOf("name = \xd6\xd0\xce\xc4"), form: textForm("unknown-8bit", 0) },
  { name: "cut UTF-8", bytes: bytesOf("text \xe6\xbc"), form: textForm("unknown-8bit", 0) },
  { name: "source with a NUL", bytes: bytesOf('const a = "\0";\n'), form: textForm("utf-8", 0) },
  { name: "UTF-32", bytes: bytesOf("\xff\xfe\0\0a\0\0\0"), form: binaryForm("UTF-32 text") },
  {
    name: "UTF-16 without a mark",
    bytes: bytesOf("h\0e\0l\0l\0o\0"),
    form: binaryForm("UTF-16 text without a byte-order mark, or binary data"),
  },
  { name: "a PNG header", bytes: bytesOf("\x89PNG\r\n\x1a\n"), form: binaryForm("PNG image") },
  { name: "a ZIP of ASCII", bytes: bytesOf("PK\x03\x04abc"), form: binaryForm("ZIP archive") },
  { name: "a WebP image", bytes: bytesOf("RIFF\0\0\0\0WEBP"), form: binaryForm("WebP image") },
  { name: "a program", bytes: bytesOf("MZ\x90\0\x03\0\0\0"), form: binaryForm("Windows program") },
  { name: "text that starts like a program", bytes: bytesOf("MZ is"), form: textForm("utf-8", 0) },
  {
    name: "NULs between names",
    bytes: bytesOf("ab\0cd\0"),
    form: binaryForm("unknown binary data"),
  },
  {
    name: "8-bit data with NULs",
    bytes: bytesOf("ab\xe9\0c"),
    form: binaryForm("unknown binary data"),
  },
];

for (const { name, bytes, form } of ROWS) {
  Deno.test(`detectTextForm() recognises ${name}`, () => {
    deepStrictEqual(detectTextForm(bytes), form);
  });
}

Deno.test("detectTextForm() forgives a cut character only at the end of a part", () => {
  const bytes = bytesOf("text \xe6\xbc");
  deepStrictEqual(detectTextForm(bytes, { partial: true }), textForm("utf-8", 0));
  const broken = bytesOf("\xe6\xbc text");
  deepStrictEqual(detectTextForm(broken, { partial: true }), textForm("unknown-8bit", 0));
});

Deno.test("encodeText() is undone by decodeText() in every form", () => {
  const text = "é漢😀\0\r\n\ufeff";
  const forms = [
    textForm("utf-8", 0),
    textForm("utf-8", 3),
    textForm("utf-16le", 2),
    textForm("utf-16be", 2),
  ];
  for (const form of forms) {
    const bytes = encodeText(text, form);
    strictEqual(decodeText(bytes, form), text);
    if (form.bomBytes > 0) deepStrictEqual(detectTextForm(bytes), form);
  }
});

Deno.test("decodeText() shows bytes of an unknown encoding as escapes (field case 92)", () => {
  strictEqual(decodeText(bytesOf("caf\xe9 \xc3\xa9"), textForm("unknown-8bit", 0)), "caf\\xe9 é");
});
