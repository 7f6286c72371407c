import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { formatLines } from "../../../core/files/format_lines.ts";
import { type LineWindow, readLineWindow } from "../../../core/files/line_window.ts";

async function* split(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) {
    yield await Promise.resolve(bytes.subarray(start, start + size));
  }
}

interface Place {
  readonly startLine?: number;
  readonly startColumn?: number;
  readonly maxLines?: number;
  readonly maxBytes?: number;
}

async function read(text: string, size: number, place: Place): Promise<string | LineWindow> {
  const chunks = split(new TextEncoder().encode(text), size);
  const request = { startLine: 1, startColumn: 1, maxLines: 10, maxBytes: 100, ...place };
  const window = await readLineWindow(chunks, request);
  if (window.kind !== "lines") return window;
  return new TextDecoder().decode(window.bytes) + (window.atEnd ? "|" : "");
}

const ROWS: readonly (readonly [string, Place, string | LineWindow])[] = [
  ["", {}, "|"],
  ["", { startLine: 2 }, { kind: "past_last_line", lines: 0 }],
  ["a", {}, "a|"],
  ["a\nb\n", {}, "a\nb\n|"],
  ["a\nb\n", { startLine: 2 }, "b\n|"],
  ["a\nb\n", { startLine: 3 }, { kind: "past_last_line", lines: 2 }],
  ["a\nb", { startLine: 9 }, { kind: "past_last_line", lines: 2 }],
  ["a\nb\nc\n", { startLine: 2, maxLines: 1 }, "b\n"],
  ["a\nb\n", { startLine: 2, maxLines: 1 }, "b\n|"],
  ["é漢😀z\nb", { startColumn: 3 }, "😀z\nb|"],
  ["é漢😀z\nb", { startColumn: 5 }, { kind: "past_line_end", characters: 4 }],
  ["é漢😀z\nb", { startColumn: 50 }, { kind: "past_line_end", characters: 4 }],
  ["é漢😀z\r\nb", { startColumn: 5 }, { kind: "past_line_end", characters: 4 }],
  ["é漢", { startColumn: 2 }, "漢|"],
  ["é漢", { startColumn: 9 }, { kind: "past_line_end", characters: 2 }],
  ["a\n\nb", { startLine: 2 }, "\nb|"],
  ["a\n\nb", { startLine: 2, startColumn: 2 }, { kind: "past_line_end", characters: 0 }],
  ["abcdef", { maxBytes: 4 }, "abcd"],
];

for (const [text, place, expected] of ROWS) {
  const at = JSON.stringify(place);
  Deno.test(`readLineWindow() reads ${JSON.stringify(text)} at ${at}, however it is cut`, async () => {
    for (let size = 1; size <= 8; size++) deepStrictEqual(await read(text, size, place), expected);
  });
}

Deno.test("readLineWindow() asks for no chunk after the window", async () => {
  let asked = 0;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    while (true) {
      asked++;
      yield await Promise.resolve(new TextEncoder().encode("line\n"));
    }
  }
  const request = { startLine: 3, startColumn: 1, maxLines: 2, maxBytes: 100 };
  strictEqual((await readLineWindow(chunks(), request)).kind, "lines");
  strictEqual(asked, 5);
});

Deno.test("formatLines() numbers lines and hides the end of each", () => {
  const bytes = new TextEncoder().encode("a\r\n\nb\rc\n");
  const request = { startLine: 7, startColumn: 1, maxLines: 10, maxJsonBytes: 100, atEnd: true };
  deepStrictEqual(formatLines(bytes, request), { content: "7: a\n8: \n9: b\rc", next: null });
});

Deno.test("formatLines() and readLineWindow() walk a file in steps that all advance (field case 48)", async () => {
  const text = `short\n${'é漢😀\\"x'.repeat(50)}\n\u0000\u0001\nlast`;
  const file = new TextEncoder().encode(text);
  for (const maxJsonBytes of [12, 20, 33, 64]) {
    const lines: string[] = [];
    let place: { readonly line: number; readonly column: number } | null = { line: 1, column: 1 };
    for (let steps = 0; place !== null; steps++) {
      strictEqual(steps < 1_000, true);
      const range = { startLine: place.line, startColumn: place.column, maxLines: 10 };
      const window: LineWindow = await readLineWindow(split(file, 7), {
        ...range,
        maxBytes: maxJsonBytes,
      });
      if (window.kind !== "lines") throw new TypeError(`Step ended in ${window.kind}`);
      const { atEnd } = window;
      const shown = formatLines(window.bytes, { ...range, maxJsonBytes, atEnd });
      strictEqual(
        new TextEncoder().encode(JSON.stringify(shown.content)).length <= maxJsonBytes + 2,
        true,
      );
      for (const line of shown.content.split("\n")) {
        const [, number = "", part = ""] = /^(\d+): ([^]*)$/.exec(line) ?? [];
        lines[Number(number) - 1] = (lines[Number(number) - 1] ?? "") + part;
      }
      place = shown.next;
    }
    strictEqual(lines.join("\n"), text);
  }
});
