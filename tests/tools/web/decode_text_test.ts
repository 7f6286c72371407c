import assert from "node:assert/strict";
import { binaryForm, parseContentType, refineKind } from "../../../tools/web/content_kind.ts";
import { decodeText } from "../../../tools/web/decode_text.ts";

const SHIFT_JIS = [0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea]; // 日本語
const GBK = [0xd6, 0xd0, 0xce, 0xc4]; // 中文
const UTF8 = [...new TextEncoder().encode("né 中")];

function bytesOf(...parts: readonly (string | readonly number[])[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(
    parts.flatMap((part) =>
      typeof part === "string" ? [...new TextEncoder().encode(part)] : [...part]
    ),
  );
}

Deno.test("decodeText() takes the mark, the header, the page, UTF-8 and windows-1252, in that order (field case 137)", () => {
  const meta = (label: string) => `<meta charset="${label}"><p>`;
  const old = (label: string) =>
    `<META HTTP-EQUIV=Content-Type CONTENT="text/html; charset=${label}"><p>`;
  const rows: readonly (readonly [Uint8Array<ArrayBuffer>, string | null, string, string])[] = [
    [bytesOf(SHIFT_JIS), "Shift_JIS", "日本語", "shift_jis"],
    [bytesOf(SHIFT_JIS), "x-sjis", "日本語", "shift_jis"],
    [bytesOf(meta("gbk"), GBK), null, "中文", "gbk"],
    [bytesOf(old("gb2312"), GBK), null, "中文", "gbk"],
    [bytesOf(meta("gbk"), SHIFT_JIS), "shift_jis", "日本語", "shift_jis"],
    [bytesOf([0xef, 0xbb, 0xbf], UTF8), "shift_jis", "né 中", "utf-8"],
    [bytesOf([0xff, 0xfe, 0x2d, 0x4e]), "utf-8", "中", "utf-16le"],
    [bytesOf([0xfe, 0xff, 0x4e, 0x2d]), null, "中", "utf-16be"],
    [bytesOf(`<?xml version="1.0" encoding="gbk"?><a>`, GBK), null, "中文", "gbk"],
    [bytesOf(`<!-- <meta charset="gbk"> -->`, UTF8), null, "né 中", "utf-8"],
    [bytesOf(meta("utf-16"), UTF8), null, "né 中", "utf-8"],
    [bytesOf(UTF8), null, "né 中", "utf-8"],
    [bytesOf("caf", [0xe9], " ", [0x93], "x", [0x94]), null, "café “x”", "windows-1252"],
  ];
  for (const [bytes, header, text, charset] of rows) {
    const decoded = decodeText(bytes, header, "html");
    assert.ok(decoded.text.endsWith(text), `${decoded.text} ${text}`);
    assert.equal(decoded.charset, charset);
  }
});

Deno.test("decodeText() notes an unknown label, a guess and bytes that are not valid", () => {
  const unknown = decodeText(bytesOf(UTF8), "klingon-8", "text");
  assert.equal(unknown.text, "né 中");
  assert.match(unknown.notes.join(), /"klingon-8", which is not known/);
  assert.match(decodeText(bytesOf(UTF8), "replacement", "text").notes.join(), /not known/);
  assert.match(decodeText(bytesOf([0xe9]), null, "text").notes.join(), /windows-1252/);
  assert.match(decodeText(bytesOf([0xe9]), "utf-8", "text").notes.join(), /not valid utf-8/);
  assert.deepEqual(decodeText(bytesOf(UTF8), "utf-8", "text").notes, []);
});

Deno.test("parseContentType() tells text from what is none", () => {
  const rows: readonly (readonly [string | undefined, string, string | null, string | null])[] = [
    ["text/html; charset=UTF-8", "text/html", "UTF-8", "html"],
    ['Text/HTML;Charset="gbk"', "text/html", "gbk", "html"],
    ["application/xhtml+xml", "application/xhtml+xml", null, "html"],
    ["application/rss+xml", "application/rss+xml", null, "feed"],
    ["application/feed+json", "application/feed+json", null, "feed"],
    ["application/json", "application/json", null, "json"],
    ["application/ld+json", "application/ld+json", null, "json"],
    ["application/xml", "application/xml", null, "xml"],
    ["image/svg+xml", "image/svg+xml", null, "xml"],
    ["text/markdown", "text/markdown", null, "text"],
    ["application/javascript", "application/javascript", null, "text"],
    ["application/yaml", "application/yaml", null, "text"],
    ["application/octet-stream", "application/octet-stream", null, "unnamed"],
    [undefined, "", null, "unnamed"],
    ["application/pdf", "application/pdf", null, null],
    ["image/png", "image/png", null, null],
    ["video/mp4", "video/mp4", null, null],
    ["application/zip", "application/zip", null, null],
    ["application/vnd.ms-excel", "application/vnd.ms-excel", null, null],
    ["nonsense", "nonsense", null, null],
  ];
  for (const [header, type, charset, kind] of rows) {
    assert.deepEqual(parseContentType(header), { type, charset, kind }, header);
  }
});

Deno.test("binaryForm() knows what begins like a file of another kind", () => {
  assert.equal(binaryForm(bytesOf("%PDF-1.7")), "a PDF file");
  assert.equal(binaryForm(bytesOf([0x89], "PNG")), "a PNG image");
  assert.equal(binaryForm(bytesOf("a", [0], "b")), "a binary file");
  assert.equal(binaryForm(bytesOf([0xff, 0xfe, 0x41, 0])), null);
  for (const text of ["", "text", "<p>", "né"]) assert.equal(binaryForm(bytesOf(text)), null);
});

Deno.test("refineKind() finds feeds and pages behind types that say less", () => {
  assert.equal(refineKind("xml", '<?xml version="1.0"?>\n<!-- c --><rss version="2.0">'), "feed");
  assert.equal(refineKind("xml", "<feed xmlns='x'>"), "feed");
  assert.equal(refineKind("xml", "<svg>"), "xml");
  assert.equal(refineKind("unnamed", "\n<!DOCTYPE html><p>"), "html");
  assert.equal(refineKind("unnamed", "plain"), "text");
  assert.equal(refineKind("text", "<!doctype html>"), "text");
  assert.equal(refineKind("json", '{"version": "https://jsonfeed.org/version/1"}'), "feed");
  assert.equal(refineKind("json", '{"version": 1}'), "json");
});
