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

Deno.test("PasteGuard joins reads of a paste without marks, and lets no key into it", async () => {
  const { seen, sees, read } = createGuard();
  read("a", "\r", "b");
  read("c", "\r");
  read("\x1b[A", "d");
  await sees(3);
  assert.deepEqual(seen, [pasted("a\rbc\r"), "\x1b[A", "d"]);
});

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
