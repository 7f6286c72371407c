import assert from "node:assert/strict";
import { StreamRedactor } from "../../../core/process/stream_redactor.ts";

const SECRET = "tok-0123456789-tok-abc";

/** What comes out when a text goes in, in pieces of a size. */
function redact(input: Uint8Array, secrets: readonly string[], size: number): Uint8Array {
  const redactor = new StreamRedactor(secrets);
  const out: number[] = [];
  for (let from = 0; from < input.length; from += size) {
    out.push(...redactor.write(input.subarray(from, from + size)));
  }
  out.push(...redactor.end());
  return Uint8Array.from(out);
}

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

Deno.test("StreamRedactor finds a secret wherever a stream is cut", () => {
  const rows: readonly (readonly [string, string])[] = [
    [`a ${SECRET} b`, "a [redacted] b"],
    [SECRET, "[redacted]"],
    [`tok-${SECRET}`, "tok-[redacted]"],
    [`${SECRET}-0123`, "[redacted]-0123"],
    [`${SECRET.slice(0, -1)}\n${SECRET}`, `${SECRET.slice(0, -1)}\n[redacted]`],
    [`key=${JSON.stringify(`a"b/${SECRET}`)}`, 'key="a\\"b/[redacted]"'],
    // Neighbours that are no secrets.
    [SECRET.slice(0, -1), SECRET.slice(0, -1)],
    [SECRET.slice(1), SECRET.slice(1)],
    [SECRET.toUpperCase(), SECRET.toUpperCase()],
    ["", ""],
  ];
  for (const [input, expected] of rows) {
    for (let size = 1; size <= input.length + 1; size++) {
      const name = `${JSON.stringify(input)} by ${size}`;
      assert.equal(decode(redact(encode(input), [SECRET], size)), expected, name);
    }
  }
});

Deno.test("StreamRedactor knows the spellings of a secret, and leaves short ones alone", () => {
  const secret = 'ä"very/secret+key';
  const spellings = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    encodeURIComponent(secret),
  ];
  for (const spelling of spellings) {
    for (const size of [1, 4, 100]) {
      assert.equal(decode(redact(encode(`<${spelling}>`), [secret], size)), "<[redacted]>");
    }
  }
  assert.equal(decode(redact(encode("a short7 b"), ["short7"], 3)), "a short7 b");
});

Deno.test("StreamRedactor leaves nothing of secrets that overlap or hold each other", () => {
  const secrets = ["abcdefgh1234", "1234abcdefgh", "abcdefgh1234-and-more"];
  const rows = [
    "abcdefgh1234-and-more",
    "abcdefgh1234abcdefgh",
    "1234abcdefgh1234",
    "abcdefgh1234abcdefgh1234-and-more",
  ];
  for (const input of rows) {
    for (let size = 1; size <= input.length; size++) {
      const output = decode(redact(encode(`<${input}>`), secrets, size));
      assert.match(output, /^<(\[redacted\])+>$/, `${input} by ${size}`);
    }
  }
});

Deno.test("StreamRedactor leaves bytes that are not text as they are", () => {
  const bytes = Uint8Array.from({ length: 5000 }, (_, index) => (index * 7919) % 256);
  const around = Uint8Array.from([...bytes, ...encode(SECRET), ...bytes]);
  for (const size of [1, 13, 4096, 20_000]) {
    const expected = Uint8Array.from([...bytes, ...encode("[redacted]"), ...bytes]);
    assert.deepEqual(redact(around, [SECRET], size), expected);
    assert.deepEqual(redact(around, [], size), around);
  }
});

Deno.test("StreamRedactor holds back only what may be the beginning of a secret", () => {
  const redactor = new StreamRedactor([SECRET]);
  assert.equal(decode(redactor.write(encode("line\nanother to"))), "line\nanother ");
  assert.equal(decode(redactor.write(encode("k-99"))), "tok-99");
  assert.equal(decode(redactor.write(encode(SECRET))), "[redacted]");
});
