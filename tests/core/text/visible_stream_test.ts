import assert from "node:assert/strict";
import { visibleLines } from "../../../core/process/visible_text.ts";
import { VisibleStream } from "../../../core/text/visible_stream.ts";

const TEXTS: readonly string[] = [
  "plain\ntext\r\n",
  "👩\u200d💻 and 👩🏽\u200d🚀\u200d",
  "🏳\ufe0f\u200d🌈x\u200dy\u200d😀",
  "a\rb\r\r\nc\r",
  "می\u200cخواهم\u200c\u200c",
  "\u202eabc\u202c\ufeff\u{e0041}",
  "\ud83d\ud83d\ude00\ude00",
  "❤\ufe0f\ufe0f\u200d\r\n",
  "\x1b[2J\u009b\u2028",
];

Deno.test("VisibleStream shows the same wherever a text is cut in two or three", () => {
  for (const text of TEXTS) {
    for (let first = 0; first <= text.length; first++) {
      for (let second = first; second <= text.length; second++) {
        const stream = new VisibleStream();
        const shown = [text.slice(0, first), text.slice(first, second), text.slice(second)]
          .map((piece) => stream.push(piece));
        assert.equal(
          shown.join("") + stream.end(),
          visibleLines(text),
          `${JSON.stringify(text)} cut at ${first} and ${second}`,
        );
      }
    }
  }
});

Deno.test("VisibleStream shows the same when every unit comes alone, and holds back little", () => {
  for (const text of TEXTS) {
    const stream = new VisibleStream();
    let shown = "";
    for (let at = 0; at < text.length; at++) {
      shown += stream.push(text[at] ?? "");
      assert.ok(shown.length >= at - 2);
    }
    assert.equal(shown + stream.end(), visibleLines(text), JSON.stringify(text));
  }
});

Deno.test("VisibleStream.end() lets the next text begin by itself", () => {
  const stream = new VisibleStream();
  assert.equal(stream.push("👩\u200d"), "👩");
  assert.equal(stream.end(), "\\u200d");
  assert.equal(stream.push("\u200d💻"), "\\u200d💻");
  assert.equal(stream.end(), "");
});
