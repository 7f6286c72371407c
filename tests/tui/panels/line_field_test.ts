import assert from "node:assert/strict";
import { LineField } from "../../../tui/panels/line_field.ts";
import { ASCII_THEME, KEYS, PLAIN_THEME } from "../../support/panel_scene.ts";

const ALT_B = "\x1bb";
const CTRL = { a: "\x01", e: "\x05", k: "\x0b", u: "\x15", w: "\x17" } as const;

Deno.test("LineField.handle() edits as a shell does", () => {
  const rows: readonly (readonly [keys: readonly string[], value: string, cursor: number])[] = [
    [["a", "b", "c"], "abc", 3],
    [["a", "b", KEYS.left, "x"], "axb", 2],
    [["a", "b", KEYS.home, KEYS.delete], "b", 0],
    [["a", "b", CTRL.a, "x", CTRL.e, "y"], "xaby", 4],
    [[..."one two", CTRL.w], "one ", 4],
    [[..."one two", ALT_B, CTRL.k], "one ", 4],
    [[..."one two", ALT_B, CTRL.u], "two", 0],
    [["é", "日", "👩‍👧", KEYS.backspace], "é日", 2],
    [["e", "\u0301", KEYS.backspace], "", 0],
    [["a", KEYS.right, KEYS.right, KEYS.left, KEYS.left, KEYS.left, "x"], "xa", 1],
    [["\x1b[97u"], "a", 1],
    [["\x1b[200~ https://host/v1\n \x1b[201~"], "https://host/v1", 15],
    [["\x1b[200~one\r\n  two\tthree\x1b[201~"], "one two three", 13],
    [["\x1b[200~a\x1b[31mb\x00\x1b[201~"], "a[31mb", 6],
  ];
  for (const [keys, value, cursor] of rows) {
    const field = new LineField();
    for (const key of keys) assert.equal(field.handle(key), true, JSON.stringify(key));
    assert.deepEqual([field.value, field.cursor], [value, cursor], JSON.stringify(keys));
  }
});

Deno.test("LineField.handle() leaves other keys alone, and bounds what it keeps", () => {
  const field = new LineField("x");
  assert.deepEqual([KEYS.tab, KEYS.pageUp, "\x1b[15~"].map((key) => field.handle(key)), [
    false,
    false,
    false,
  ]);
  field.handle(`\x1b[200~${"y".repeat(1_000_000)}\x1b[201~`);
  assert.equal(field.value.length, 16_384);
});

Deno.test("LineField.render() shows the part around the cursor", () => {
  const field = new LineField("0123456789");
  const cursor = "\x1b_pi:c\x07\x1b_pi:fc\x07";
  const end = "\x1b_pi:/fc\x07";
  const style = { width: 5, theme: PLAIN_THEME, hasCursor: true };
  assert.equal(field.render(style), `6789${cursor} ${end}`);
  field.moveTo(3);
  assert.equal(field.render(style), `0123`.slice(0, 3) + `${cursor}3${end}4`);
  assert.equal(field.render({ ...style, hasCursor: false }), "01234");
  assert.equal(field.render({ ...style, isSecret: true }), `***${cursor}*${end}*`);
  assert.equal(
    new LineField("日本").render({ ...style, theme: ASCII_THEME }),
    `??${cursor} ${end}`,
  );
  assert.equal(
    new LineField().render({ ...style, width: 20, placeholder: "https://" }),
    `${cursor}h${end}ttps://`,
  );
});
