import assert from "node:assert/strict";
import { join } from "node:path";
import { sha256Hex } from "../../../core/files/sha256.ts";
import { inspectWrite } from "../../../core/session/inspect_write.ts";
import type { JournalCall } from "../../../core/session/session_records.ts";
import { withTempDir } from "../../support/temp.ts";

interface Row {
  readonly name: string;
  /** Content before the call; null for no file. */
  readonly before: string | null;
  readonly input: Readonly<Record<string, unknown>>;
  /** Content that is found; null for no file. */
  readonly now: string | null;
  readonly status: "happened" | "did_not_happen" | "unknown";
}

const EDIT = { oldText: "two", newText: "2" };

const ROWS: readonly Row[] = [
  { name: "a new file", before: null, input: { content: "x" }, now: "x", status: "happened" },
  { name: "no file", before: null, input: { content: "x" }, now: null, status: "did_not_happen" },
  { name: "other file", before: null, input: { content: "x" }, now: "y", status: "unknown" },
  { name: "new content", before: "a", input: { content: "b" }, now: "b", status: "happened" },
  { name: "old content", before: "a", input: { content: "b" }, now: "a", status: "did_not_happen" },
  { name: "part of it", before: "a", input: { content: "bb" }, now: "b", status: "unknown" },
  { name: "gone", before: "a", input: { content: "b" }, now: null, status: "unknown" },
  {
    name: "kept line ends",
    before: "a\r\n",
    input: { content: "b\n" },
    now: "b\r\n",
    status: "happened",
  },
  {
    name: "kept byte order mark",
    before: "\uFEFFa",
    input: { content: "b" },
    now: "\uFEFFb",
    status: "happened",
  },
  { name: "edited", before: "one two", input: EDIT, now: "one 2", status: "happened" },
  { name: "not edited", before: "one two", input: EDIT, now: "one two", status: "did_not_happen" },
  { name: "edited twice", before: "one two", input: EDIT, now: "1 2", status: "unknown" },
  {
    name: "edited at the second place of the new text",
    before: "2 two 2",
    input: EDIT,
    now: "2 2 2",
    status: "happened",
  },
  {
    name: "edited with kept line ends",
    before: "one\r\ntwo\r\n",
    input: { oldText: "one\ntwo\n", newText: "1\n2\n" },
    now: "1\r\n2\r\n",
    status: "happened",
  },
  {
    name: "deleted text",
    before: "one two",
    input: { oldText: "two", newText: "" },
    now: "one ",
    status: "unknown",
  },
];

for (const { name, before, input, now, status } of ROWS) {
  Deno.test(`inspectWrite() judges by the file: ${name}`, async () => {
    await withTempDir(async (dir) => {
      if (now !== null) await Deno.writeTextFile(join(dir, "a.txt"), now);
      const expectedHash = before === null ? null : await hashOf(before);
      const finding = await inspectWrite(call({ path: "a.txt", expectedHash, ...input }), dir);
      assert.equal(finding?.status, status, finding?.text);
      assert.match(finding?.text ?? "", /^File "a\.txt" [^.]*$/);
    });
  });
}

Deno.test("inspectWrite() says that a file cannot be read", async () => {
  await withTempDir(async (dir) => {
    await Deno.mkdir(join(dir, "a.txt"));
    const finding = await inspectWrite(call({ path: "a.txt", content: "x" }), dir);
    assert.deepEqual(finding, {
      status: "unknown",
      text: 'File "a.txt" cannot be checked: it cannot be read',
    });
  });
});

Deno.test("inspectWrite() does not compare with a record that secrets were taken out of", async () => {
  await withTempDir(async (dir) => {
    await Deno.writeTextFile(join(dir, "a.txt"), "key=12345678");
    const finding = await inspectWrite(call({ path: "a.txt", content: "key=[redacted]" }), dir);
    assert.equal(finding?.status, "unknown");
    assert.match(finding?.text ?? "", /the record lacks the secrets to compare it with$/);
  });
});

Deno.test("inspectWrite() has no opinion on other calls", async () => {
  const rows: readonly JournalCall[] = [
    { ...call({ path: "a", content: "x" }), effect: "process" },
    call({ command: "make" }),
    call({ path: "a" }),
    call({ path: 1, content: "x" }),
    call({ path: "a", content: "x", expectedHash: 1 }),
    call({ path: "a", oldText: "x" }),
    { ...call({}), arguments: "{" },
    { ...call({}), arguments: "null" },
  ];
  for (const row of rows) {
    assert.equal(await inspectWrite(row, "/nowhere"), undefined, row.arguments);
  }
});

function call(input: Readonly<Record<string, unknown>>): JournalCall {
  const names = { sessionId: "s1", callId: "c1", name: "write_file", effect: "write" } as const;
  return { ...names, arguments: JSON.stringify(input), status: "pending", isError: false };
}

function hashOf(text: string): Promise<string> {
  return sha256Hex(new TextEncoder().encode(text));
}
