import assert from "node:assert/strict";
import { OutputCapture } from "../../../core/process/output_capture.ts";
import { TailBuffer } from "../../../core/process/tail_buffer.ts";

const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("TailBuffer keeps the newest bytes in order, whatever the sizes of the pieces", () => {
  for (const maxBytes of [1, 3, 7, 10, 5000]) {
    for (const step of [1, 2, 3, 7, 11, 4000]) {
      const buffer = new TailBuffer(maxBytes);
      const all = Uint8Array.from({ length: 9000 }, (_, index) => index % 251);
      for (let from = 0; from < all.length; from += step) {
        buffer.write(all.subarray(from, from + step));
      }
      assert.equal(buffer.length, maxBytes);
      assert.deepEqual(buffer.last(maxBytes), all.subarray(-maxBytes), `${maxBytes} by ${step}`);
      assert.deepEqual(buffer.last(2), all.subarray(-Math.min(2, maxBytes)));
    }
  }
});

Deno.test("TailBuffer that may keep nothing keeps nothing", () => {
  const buffer = new TailBuffer(0);
  buffer.write(encode("abc"));
  assert.deepEqual(buffer.last(10), new Uint8Array(0));
});

Deno.test("OutputCapture gives short output back as it is", () => {
  const capture = new OutputCapture(10, 0);
  for (const character of "0123456789") capture.write(encode(character));
  assert.deepEqual(capture.text(), { text: "0123456789", truncated: false });
  assert.equal(capture.isOverLimit, false);
});

Deno.test("OutputCapture keeps head and tail of long output (field case 91)", () => {
  const capture = new OutputCapture(1000, 0);
  for (let line = 1; line <= 10_000; line++) capture.write(encode(`line ${line}\n`));
  capture.write(encode("error: the last line\n"));
  const { text, truncated } = capture.text('full output in "/tmp/x"');
  assert.equal(truncated, true);
  assert.match(text, /^line 1\nline 2\n/);
  assert.match(text, /line 10000\nerror: the last line\n$/);
  assert.match(
    text,
    /\n\[output cut: the first 500 and the last 500 of 98915 bytes are shown; full output in "\/tmp\/x"\]\n/,
  );
});

Deno.test("OutputCapture is not emptied by one line above the limit (field case 91)", () => {
  const capture = new OutputCapture(32_000, 0);
  capture.write(encode("x".repeat(300_000) + "\n"));
  const { text } = capture.text();
  assert.match(text, /^x{16000}\n\[output cut: .*\]\nx{15999}\n$/);
});

Deno.test("OutputCapture splits no character, with the cut at every offset (field case 92)", () => {
  const all = encode("aé€😀".repeat(40));
  for (let maxBytes = 20; maxBytes < 60; maxBytes++) {
    const capture = new OutputCapture(maxBytes, 0);
    for (const byte of all) capture.write(Uint8Array.of(byte));
    const { text } = capture.text();
    const [head, tail] = text.split(/\n\[output cut: [^\]]*\]\n/);
    assert.ok(head !== undefined && tail !== undefined, `${maxBytes}`);
    assert.ok("aé€😀".repeat(40).startsWith(head), `head of ${maxBytes}: ${head}`);
    assert.ok("aé€😀".repeat(40).endsWith(tail), `tail of ${maxBytes}: ${tail}`);
  }
});

Deno.test("OutputCapture bounds text that grows by its escapes", () => {
  for (const count of [900, 5000]) {
    const capture = new OutputCapture(1000, 0);
    capture.write(new Uint8Array(count));
    const { text, truncated } = capture.text();
    assert.equal(truncated, true);
    assert.ok(text.length < 1100, `${text.length}`);
    assert.match(text, /^\\x00\\x00.*\\x00$/s);
  }
});

Deno.test("OutputCapture.tail() ends where the output ends", () => {
  const capture = new OutputCapture(10, 20);
  capture.write(encode("0123456789"));
  assert.equal(capture.tail(20), "0123456789");
  assert.equal(capture.tail(4), "6789");
  capture.write(encode("abcdefghij€"));
  assert.equal(capture.tail(20), "3456789abcdefghij€");
  assert.equal(capture.tail(2), "");
});
