import assert from "node:assert/strict";
import {
  ListPicker,
  type ListPickerOptions,
  type PickerItem,
} from "../../../tui/panels/list_picker.ts";
import {
  ASCII_THEME,
  assertDrawable,
  COLOUR_THEME,
  frameOf,
  HOSTILE_TEXTS,
  KEYS,
  PLAIN_THEME,
  press,
  seen,
  type,
} from "../../support/panel_scene.ts";

const MODELS: readonly PickerItem<string>[] = [
  { value: "a", label: "alpha", description: "fast and small", mark: "[x]", group: "Local ›" },
  { value: "b", label: "beta", description: "slow and careful", mark: "[ ]", group: "Local ›" },
  { value: "c", label: "gamma-with-a-long-name", mark: "[ ]", group: "Far away ›" },
  { value: "d", label: "delta", description: "日本語", mark: "[!]", group: "Far away ›" },
];

function createPicker(options: Partial<ListPickerOptions<string>> = {}) {
  const chosen: string[] = [];
  const picker = new ListPicker({
    title: "Model",
    items: MODELS,
    theme: PLAIN_THEME,
    frame: frameOf(10),
    onChoose: ({ value }) => chosen.push(value),
    onCancel: () => chosen.push("left"),
    ...options,
  });
  return { picker, chosen };
}

Deno.test("ListPicker draws groups, marks and descriptions at 80 columns", () => {
  const { picker } = createPicker({ detail: ({ label }) => `The model ${label}.` });
  press(picker, KEYS.down);
  assert.equal(
    seen(picker, 80),
    [
      "Model (2/4)",
      "Local ›",
      "  [x] alpha                   fast and small",
      "› [ ] beta                    slow and careful",
      "Far away ›",
      "  [ ] gamma-with-a-long-name",
      "  [!] delta                   日本語",
      "The model beta.",
      "",
      "Enter choose · Esc close · type to search",
    ].join("\n"),
  );
});

Deno.test("ListPicker draws what fits at 40 columns, and says what does not", () => {
  const { picker } = createPicker({ frame: frameOf(6) });
  press(picker, KEYS.end);
  assert.equal(
    seen(picker, 40),
    [
      "Model (4/4)",
      "  ↑ 3 more above",
      "Far away ›",
      "  [ ] gamma-with-a-long-name",
      "› [!] delta             日本語",
      "Enter choose · Esc close",
    ].join("\n"),
  );
  press(picker, KEYS.home);
  assert.match(seen(picker, 40), /\n {2}↓ 3 more below\n/);
});

Deno.test("ListPicker draws ASCII alone where there is nothing else", () => {
  const { picker } = createPicker({ theme: ASCII_THEME, frame: frameOf(6) });
  press(picker, KEYS.end);
  assert.equal(
    seen(picker, 40),
    [
      "Model (4/4)",
      "  ^ 3 more above",
      "Far away ?",
      "  [ ] gamma-with-a-long-name",
      "> [!] delta             ???",
      "Enter choose - Esc close",
    ].join("\n"),
  );
});

Deno.test("ListPicker moves, wraps and pages over lines that can be chosen alone", () => {
  const rows: readonly (readonly [keys: readonly string[], chosen: string])[] = [
    [[], "a"],
    [[KEYS.down, KEYS.down], "c"],
    [[KEYS.up], "d"],
    [[KEYS.end, KEYS.down], "a"],
    [[KEYS.end, KEYS.home], "a"],
    [[KEYS.pageDown], "d"],
    [[KEYS.end, KEYS.pageUp], "a"],
  ];
  for (const [keys, value] of rows) {
    const { picker, chosen } = createPicker();
    press(picker, ...keys, KEYS.enter);
    assert.deepEqual(chosen, [value], JSON.stringify(keys));
  }
});

Deno.test("ListPicker moves with the wheel of a mouse, and stops at its ends", () => {
  const { picker } = createPicker();
  picker.scroll(3);
  assert.equal(picker.selected?.value, "b");
  for (let turn = 0; turn < 9; turn++) picker.scroll(-3);
  assert.equal(picker.selected?.value, "a");
});

Deno.test("ListPicker narrows the list to lines that hold every word", () => {
  const { picker, chosen } = createPicker();
  type(picker, "LOCAL and");
  press(picker, KEYS.down);
  assert.equal(
    seen(picker, 40).split("\n").slice(0, 4).join("\n"),
    [
      "Model: LOCAL and (2/2)",
      "Local ›",
      "  [x] alpha  fast and small",
      "› [ ] beta   slow and careful",
    ].join("\n"),
  );
  type(picker, "x");
  assert.match(seen(picker, 40), /\(0\/0\)\n {2}Nothing found/);
  press(picker, KEYS.enter);
  assert.deepEqual(chosen, []);
  // The first Esc ends the search, the second one leaves.
  press(picker, KEYS.escape);
  assert.match(seen(picker, 40), /^Model \(1\/4\)/);
  press(picker, KEYS.escape);
  assert.deepEqual(chosen, ["left"]);
});

Deno.test("ListPicker gives further keys their line, letters only without a search", () => {
  const run: string[] = [];
  const { picker } = createPicker({
    keys: [
      { keys: ["t"], help: "t sort", run: (item) => run.push(`t ${item?.label}`) },
      { keys: ["space"], help: "Space toggle", run: (item) => run.push(`space ${item?.label}`) },
      { keys: ["ctrl+t"], help: "Ctrl+T test", run: (item) => run.push(`ctrl ${item?.label}`) },
    ],
  });
  press(picker, "t", KEYS.down, " ", "d", "t", " ", "\x14");
  assert.deepEqual(run, ["t alpha", "space beta", "ctrl undefined"]);
  assert.equal(picker.filter, "dt ");
});

Deno.test("ListPicker searches after the key for it alone, where letters are keys", () => {
  const pressed: string[] = [];
  const { picker, chosen } = createPicker({
    title: () => `Models, ${pressed.length} pressed`,
    searchKey: "/",
    keys: [{ keys: ["t"], help: "t sort", run: () => pressed.push("t") }],
  });
  type(picker, "ta");
  assert.equal(picker.filter, "");
  type(picker, "/tam");
  assert.equal(picker.filter, "tam");
  assert.equal(seen(picker, 80).split("\n")[0], "Models, 1 pressed: tam (0/0)");
  press(picker, KEYS.escape);
  assert.equal(
    seen(picker, 80).split("\n").at(-1),
    "Enter choose · Esc close · t sort · / search",
  );
  type(picker, "t");
  press(picker, KEYS.escape);
  assert.deepEqual({ pressed, chosen }, { pressed: ["t", "t"], chosen: ["left"] });
});

Deno.test("ListPicker.setItems() keeps the selected line", () => {
  const { picker } = createPicker({ selected: ({ value }) => value === "c" });
  picker.setItems([{ value: "z", label: "zeta" }, ...MODELS]);
  assert.equal(picker.selected?.value, "c");
  picker.setItems([{ value: "new", label: "gamma-with-a-long-name" }]);
  assert.equal(picker.selected?.value, "new");
  picker.setItems([]);
  assert.match(seen(picker, 40), /^Model \(0\/0\)\n {2}Nothing here/);
});

Deno.test("ListPicker draws hostile lines at every size", () => {
  const items = HOSTILE_TEXTS.map((text) => ({
    value: text,
    label: text,
    description: text,
    mark: text,
    group: text,
  }));
  for (const theme of [PLAIN_THEME, ASCII_THEME, COLOUR_THEME]) {
    for (const rows of [1, 2, 3, 5, 15]) {
      for (const width of [1, 2, 3, 7, 20, 40, 80, 200]) {
        const [title = ""] = HOSTILE_TEXTS;
        const { picker } = createPicker({
          items,
          theme,
          title,
          frame: frameOf(rows),
          detail: ({ label }) => label,
        });
        for (const _ of items) {
          assertDrawable(picker, { width, rows });
          press(picker, KEYS.down);
        }
      }
    }
  }
});
