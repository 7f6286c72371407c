import assert from "node:assert/strict";
import { visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";
import { NASTY_TRANSCRIPTS, readTranscript } from "../../fixtures/read_transcript.ts";
import {
  ASCII,
  COLOURED,
  PLAIN,
  playTranscript,
  type TranscriptScene,
  transcriptScene,
} from "./_scene.ts";

// deno-lint-ignore no-control-regex -- colours are the one thing that a row may hold
const COLOUR_REGEXP = /\x1b\[[\d;]*m/g;
const STRAY_REGEXP =
  // deno-lint-ignore no-control-regex -- everything that a terminal obeys, and what nobody sees
  /[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u3164\u115f\u{e0000}-\u{e007f}\ud800-\udfff]/u;
const BEYOND_ASCII_REGEXP = /[^\x20-\x7e]/;

const WIDTHS = Array.from({ length: 200 }, (_, index) => index + 1);
/** A long conversation takes its time at each of them. */
const FEW_WIDTHS = [1, 2, 3, 9, 10, 39, 40, 41, 80, 133, 200];

for (const name of NASTY_TRANSCRIPTS) {
  for (const [kind, look] of [["colour", COLOURED], ["ASCII", ASCII]] as const) {
    Deno.test(`TranscriptView shows "${name}" in ${kind} at each width, open and closed`, async () => {
      const scene = playTranscript(await readTranscript(name), look);
      await drawnOnce(scene);
      for (const width of kind === "ASCII" || name === "long" ? FEW_WIDTHS : WIDTHS) {
        assertRows(scene.view.render(width, 2_000), width, kind);
        openAll(scene, width);
        assertRows(scene.view.render(width, 2_000), width, kind);
        openAll(scene, width);
      }
      scene.view.clear();
    });
  }
}

/** Signs of Alisio, which begin rows that nobody else can begin. */
const OWN_REGEXP = /^(?:[›✓✗◆○−·!✻+] | {2}|$)/u;

Deno.test("TranscriptView leaves the first columns to signs of its own, at each width", async () => {
  for (const name of ["imitation", "escapes", "scripts", "blocks"]) {
    const scene = playTranscript(await readTranscript(name), PLAIN);
    await drawnOnce(scene);
    for (const width of WIDTHS.filter((each) => each >= 10)) {
      for (const row of scene.view.render(width, 2_000)) assert.match(row, OWN_REGEXP);
    }
    scene.view.clear();
  }
});

Deno.test("TranscriptView counts the rows that begin with a sign: nothing adds one to them", async () => {
  const scene = playTranscript(await readTranscript("imitation"), PLAIN);
  await drawnOnce(scene);
  for (const width of [10, 40, 80]) {
    const signs = scene.view.render(width, 2_000).map((row) => row.trimEnd().charAt(0))
      .filter((sign) => sign.trim() !== "");
    // The prompt, two calls and one notice.
    assert.deepEqual(signs, ["›", "✓", "✗", "·"]);
  }
});

/** Pieces that go wrong where they meet. */
const PIECES = [
  "\x1b",
  "[31m",
  "]0;x",
  "\x07",
  "\x9b",
  "\r",
  "\n",
  "\n\n",
  "\t",
  "```",
  "`",
  "**",
  "_",
  "|",
  "|-|\n",
  "- ",
  "1. ",
  "> ",
  "# ",
  "[a](b)",
  "<b>",
  "&#27;",
  "漢",
  "👩",
  "\u200d",
  "🏽",
  "🇪",
  "\u0301",
  "\u202e",
  "ש",
  "\u3164",
  "\ud83d",
  "\udc69",
  "word ",
  "x".repeat(90),
  "▞",
  "~~~\n",
  "    ",
  "$$",
  "\\",
  "]: ",
];

Deno.test("TranscriptView shows whatever comes, at whatever width", async () => {
  let seed = 7;
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(seed / 2_147_483_648 * below);
  };
  const text = (pieces: number) =>
    Array.from({ length: pieces }, () => PIECES[next(PIECES.length)]).join("");
  for (let round = 0; round < 120; round++) {
    const scene = transcriptScene({ look: COLOURED });
    scene.view.addPrompt(text(20));
    if (round === 0) await scene.view.loaded();
    for (let piece = 0; piece < 12; piece++) {
      scene.emit("text_delta", { delta: text(6) });
      const width = 1 + next(90);
      assertRows(scene.view.render(width, 200), width, "colour");
    }
    const id = `${round}`;
    scene.emit("tool_started", { id, name: text(3), arguments: text(5), effect: "external" });
    scene.emit("tool_progress", { id, data: text(9) });
    scene.emit("tool_completed", {
      id,
      name: "x",
      isError: true,
      durationMs: 1,
      preview: text(30),
    });
    scene.emit("run_failed", { error: text(9) });
    const width = 1 + next(90);
    assertRows(scene.view.render(width, 200), width, "colour");
    while (scene.view.takeFinished(width).length > 0);
  }
});

/** Has everything loaded that is loaded for the sake of looks. */
async function drawnOnce({ view }: TranscriptScene): Promise<void> {
  for (let round = 0; round < 3; round++) {
    view.render(80, 2_000);
    await view.loaded();
  }
}

function openAll({ view }: TranscriptScene, width: number): void {
  const { length } = view.render(width, 2_000);
  for (let row = 0; row < length; row++) view.toggleAt(row);
}

function assertRows(rows: readonly string[], width: number, kind: string): void {
  assert.ok(rows.length > 0);
  for (const row of rows) {
    const bare = row.replace(COLOUR_REGEXP, "");
    assert.ok(visibleWidth(row) <= width, `${visibleWidth(row)} cells at ${width}: ${bare}`);
    const stray = kind === "ASCII" ? BEYOND_ASCII_REGEXP : STRAY_REGEXP;
    assert.ok(!stray.test(bare), `stray character at ${width}: ${JSON.stringify(bare)}`);
  }
}
