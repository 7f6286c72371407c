import assert from "node:assert/strict";
import { PASTE_END, PASTE_START, PasteGuard } from "../../../tui/keys/paste_guard.ts";

function createGuard() {
  const seen: string[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const guard = new PasteGuard((data) => {
    seen.push(data);
    for (const { count, resolve } of waiting) if (seen.length >= count) resolve();
  });
  const sees = (count: number) =>
    new Promise<void>((resolve) => {
      if (seen.length >= count) resolve();
      else waiting.push({ count, resolve });
    });
  const read = (...pieces: readonly string[]) => {
    for (const piece of pieces) guard.take(piece);
    guard.endRead();
  };
  return { seen, sees, read, guard };
}

const pasted = (text: string) => PASTE_START + text + PASTE_END;

Deno.test("PasteGuard passes keys on at once, and joins the halves of a character", () => {
  const { seen, read } = createGuard();
  read("a", "\r");
  read("\x1b[A", "\ud83d", "\udc4d");
  assert.deepEqual(seen, ["a", "\r", "\x1b[A", "👍"]);
});

Deno.test("PasteGuard passes a key on that comes with no read", async () => {
  const { seen, sees, guard } = createGuard();
  guard.take("\x1b");
  await sees(1);
  assert.deepEqual(seen, ["\x1b"]);
});

Deno.test("PasteGuard holds keys behind a paste back until it is certain that it has ended", async () => {
  const { seen, sees, read } = createGuard();
  read(pasted("text"), "\r");
  assert.deepEqual(seen, []);
  await sees(2);
  assert.deepEqual(seen, [pasted("text"), "\r"]);
});

Deno.test("PasteGuard counts what comes between marks as pasted, over several reads", async () => {
  const { seen, sees, read } = createGuard();
  read(pasted("a"), "\r", "\x03");
  read("b", PASTE_END);
  read(pasted("c"));
  await sees(1);
  assert.deepEqual(seen, [pasted("a\r\x03bc")]);
});

Deno.test("PasteGuard joins reads of a paste without marks, with what a person cannot press", async () => {
  const { seen, sees, read } = createGuard();
  read("a", "\r", "b");
  read("c", "\r", "\x1b[A", "d", "\r");
  await sees(1);
  assert.deepEqual(seen, [pasted("a\rbc\r\x1b[Ad\r")]);
});

for (
  const [what, pieces, expected] of [
    ["a form feed", ["a", "\f", "\r", "b"], [pasted("a\f\rb")]],
    ["a colour", ["a", "\x1b[31m", "\r", "b", "\r"], [pasted("a\x1b[31m\rb\r")]],
    ["a letter struck twice", ["x", "\b", "x", "\r", "y", "\r"], [pasted("x\bx\ry\r")]],
    ["a key", ["\x15", "a", "\r", "\x1b[D", "b", "\r"], [pasted("\x15a\r\x1b[Db\r")]],
    ["Ctrl+C, which acts", ["a", "\r", "\x03", "b", "\r"], [pasted("a\rb\r"), "\x03"]],
    ["a report of the mouse", ["a", "\r", "\x1b[<64;1;1M", "b"], ["\x1b[<64;1;1M", pasted("a\rb")]],
    ["a report of the window", ["a", "\r", "\x1b[I", "b"], ["\x1b[I", pasted("a\rb")]],
    ["an answer of the terminal", ["a", "\r", "\x1b[?1;2c", "b"], ["\x1b[?1;2c", pasted("a\rb")]],
  ] as const
) {
  Deno.test(`PasteGuard takes several lines without marks for a paste: ${what}`, async () => {
    const { seen, sees, read } = createGuard();
    read(...pieces);
    await sees(expected.length);
    assert.deepEqual(seen, [...expected]);
  });
}

for (
  const [what, pieces] of [
    ["one line", ["a", "\r"]],
    ["one line and keys that show nothing", ["a", "\r", "\x1b[A", " ", "\r"]],
    ["lines that were typed ahead with Ctrl+J", ["a", "\n", "b", "\x0b"]],
  ] as const
) {
  Deno.test(`PasteGuard takes for keys: ${what}`, () => {
    const { seen, read } = createGuard();
    read(...pieces);
    assert.deepEqual(seen, [...pieces]);
  });
}

Deno.test("PasteGuard takes keys for keys where a terminal is known to mark pastes", () => {
  const { seen, read, guard } = createGuard();
  guard.expectMarks();
  const keys = ["a", "\r", "\x1b[13;1:3u", "b", "\x1b[98;1:3u"];
  read(...keys);
  assert.deepEqual(seen, keys);
});

Deno.test("PasteGuard waits for the next read once more after something kept it from reading", async () => {
  const { seen, sees, read } = createGuard();
  read("a", "\r", "b");
  const end = performance.now() + 100;
  while (performance.now() < end);
  // What comes next was there already, and is read after the timers.
  setTimeout(() => read("c", "\r"));
  await sees(1);
  assert.deepEqual(seen, [pasted("a\rbc\r")]);
});

Deno.test("PasteGuard.takeText() keeps a megabyte without marks in one piece", async () => {
  const { seen, sees, guard } = createGuard();
  const piece = `${"y".repeat(99)}\r`.repeat(40);
  for (let read = 0; read < 250; read++) assert.ok(guard.takeText(piece));
  await sees(1);
  assert.deepEqual(seen, [pasted(piece.repeat(250))]);
});

for (
  const [what, first, text, expected] of [
    ["a line and an Enter", [], `${"a".repeat(80)}\r`, undefined],
    ["Ctrl+C", [], `${"a".repeat(80)}\rb\x03c`, undefined],
    ["a control sequence", [], `${"a".repeat(80)}\rb\x1b[31mc`, undefined],
    ["lines with a form feed", [], "a\f\rb\r", "a\f\rb\r"],
    ["lines without an Enter", [], "a\nb\n", "a\nb\n"],
    ["those with a form feed, which may be keys", [], "a\f\nb\n", undefined],
    ["the last line of a paste", ["a", "\r", "b"], "c\r", "a\rbc\r"],
    ["what follows lines without an Enter", ["a", "\n", "b"], "c\f", undefined],
    ["what follows a paste with marks", [pasted("a")], "b\rc\r", undefined],
  ] as const
) {
  Deno.test(`PasteGuard.takeText() ${expected === undefined ? "leaves" : "takes"} ${what}`, () => {
    const { seen, read, guard } = createGuard();
    read(...first);
    assert.equal(guard.takeText(text), expected !== undefined);
    guard.close();
    const before = first.join("");
    const left = before === "" ? [] : [before.startsWith(PASTE_START) ? before : pasted(before)];
    assert.deepEqual(seen, expected === undefined ? left : [pasted(expected)]);
  });
}

Deno.test("PasteGuard looks for no paste without marks where the terminal marks them", async () => {
  const { seen, sees, read } = createGuard();
  read("\n", "b");
  read("\x1b\r");
  read(pasted("c\rd"));
  await sees(3);
  read("e", "\n", "f");
  assert.deepEqual(seen, [pasted("\nb"), "\x1b\r", pasted("c\rd"), "e", "\n", "f"]);
});

Deno.test("PasteGuard passes everything on when it is closed", () => {
  const { seen, read, guard } = createGuard();
  read(pasted("a"), "x");
  guard.close();
  assert.deepEqual(seen, [pasted("a"), "x"]);
});
