import assert from "node:assert/strict";
import xterm from "@xterm/headless";
import { NASTY_TRANSCRIPTS, readTranscript } from "../../fixtures/read_transcript.ts";
import { ASCII, COLOURED, playTranscript } from "./_scene.ts";

/** Set to store the screens as they are now. */
const UPDATE = Deno.env.get("ALISIO_STORE_SCREENS") === "1";
const HEIGHT = 320;

/** What came out of a terminal that was written to. */
interface Emulated {
  readonly rows: readonly string[];
  /** What a sequence that got through would have set off. */
  readonly signs: readonly string[];
}

for (const name of NASTY_TRANSCRIPTS) {
  for (const width of [80, 40]) {
    Deno.test(`A terminal of ${width} columns shows "${name}" as it is stored`, async () => {
      const scene = playTranscript(await readTranscript(name), COLOURED);
      for (let round = 0; round < 3; round++) {
        scene.view.render(width, HEIGHT);
        await scene.view.loaded();
      }
      const { rows, signs } = await emulate(scene.view.render(width, HEIGHT), width);
      scene.view.clear();
      assert.deepEqual(signs, []);
      await assertStored(`${name}.${width}.txt`, rows);
    });
  }
}

Deno.test("A terminal without Unicode gets ASCII alone", async () => {
  const scene = playTranscript(await readTranscript("scripts"), ASCII);
  scene.view.render(40, HEIGHT);
  await scene.view.loaded();
  const { rows } = await emulate(scene.view.render(40, HEIGHT), 40);
  await assertStored("scripts.ascii.txt", rows);
});

/** Writes rows to a terminal, each where the screen puts it, with nothing that holds it back. */
async function emulate(rows: readonly string[], columns: number): Promise<Emulated> {
  const terminal = new xterm.Terminal({ cols: columns, rows: HEIGHT, allowProposedApi: true });
  const signs: string[] = [];
  terminal.onTitleChange((title) => signs.push(`title ${title}`));
  terminal.onBell(() => signs.push("bell"));
  terminal.onData((data) => signs.push(`answer ${JSON.stringify(data)}`));
  terminal.onScroll(() => signs.push("scroll"));
  terminal.buffer.onBufferChange(() => signs.push("other screen"));
  for (const [index, row] of rows.entries()) {
    await write(terminal, `\x1b[${index + 1};1H${row}\x1b[0m`);
    const { cursorX, cursorY } = terminal.buffer.active;
    // A row that ran over would have gone on in the next one.
    if (cursorY !== index) signs.push(`row ${index} ended in row ${cursorY}`);
    if (cursorX > columns) signs.push(`row ${index} ended in column ${cursorX}`);
  }
  const shown = rows.map((_, index) =>
    (terminal.buffer.active.getLine(index)?.translateToString(true) ?? "").trimEnd()
  );
  // deno-lint-ignore no-control-regex -- colours are the one thing that a row may hold
  const expected = rows.map((row) => row.replace(/\x1b\[[\d;]*m/g, "").trimEnd());
  assert.deepEqual(shown, expected);
  terminal.dispose();
  return { rows: shown, signs };
}

function write(terminal: xterm.Terminal, text: string): Promise<void> {
  return new Promise((resolve) => terminal.write(text, resolve));
}

async function assertStored(file: string, rows: readonly string[]): Promise<void> {
  const url = new URL(`../../fixtures/transcripts/${file}`, import.meta.url);
  // How long a thought took is another time each time.
  const text = `${rows.join("\n").replace(/(Thought .) [\d.]+m?s/g, "$1 0ms")}\n`;
  if (UPDATE) await Deno.writeTextFile(url, text);
  assert.equal(text, await Deno.readTextFile(url));
}
