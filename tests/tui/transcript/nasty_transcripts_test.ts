import assert from "node:assert/strict";
import { visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";
import { NASTY_TRANSCRIPTS, readTranscript } from "../../fixtures/read_transcript.ts";
import { ASCII, COLOURED, playTranscript, type TranscriptScene } from "./_scene.ts";

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
      for (const width of name === "long" ? FEW_WIDTHS : WIDTHS) {
        assertRows(scene.view.render(width, 2_000), width, kind);
        openAll(scene, width);
        assertRows(scene.view.render(width, 2_000), width, kind);
        openAll(scene, width);
      }
      scene.view.clear();
    });
  }
}

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
