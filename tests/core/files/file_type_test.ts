import { deepStrictEqual } from "node:assert/strict";
import { detectFileType, type FileType } from "../../../core/files/file_type.ts";

const ROWS: readonly (readonly [string, FileType | null])[] = [
  ["\x7fELF", { name: "ELF program", certain: true }],
  ["%PDF-1.7", { name: "PDF document", certain: true }],
  ["SQLite format 3\0", { name: "SQLite database", certain: true }],
  ["SQLite format 3 is a format", null],
  ["RIFF....WAVE", { name: "WAV audio", certain: true }],
  ["RIFF....XXXX", null],
  ["....ftypisom", { name: "MP4 media", certain: false }],
  [`${"x".repeat(257)}ustar`, { name: "tar archive", certain: false }],
  ["BM", { name: "BMP image", certain: false }],
  ["", null],
];

for (const [text, type] of ROWS) {
  const name = type?.name ?? "nothing";
  Deno.test(`detectFileType() finds ${name} in ${JSON.stringify(text.slice(-16))}`, () => {
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    deepStrictEqual(detectFileType(bytes), type);
  });
}
