import assert from "node:assert/strict";
import {
  createInputPanel,
  FormPanel,
  type FormPanelOptions,
} from "../../../tui/panels/form_panel.ts";
import {
  ASCII_THEME,
  assertDrawable,
  frameOf,
  HOSTILE_TEXTS,
  KEYS,
  PLAIN_THEME,
  press,
  seen,
  type,
} from "../../support/panel_scene.ts";

function createForm(options: Partial<FormPanelOptions> = {}) {
  const answers: unknown[] = [];
  const form = new FormPanel({
    title: "Connect",
    fields: [
      {
        key: "url",
        label: "Address",
        placeholder: "https://…",
        hint: "Where the server is",
        check: (value) => value === "" ? "An address is needed" : undefined,
      },
      { key: "key", label: "Key", isSecret: true, value: "s3cret" },
    ],
    theme: PLAIN_THEME,
    frame: frameOf(8),
    onSubmit: (values) => answers.push(values),
    onCancel: () => answers.push("left"),
    ...options,
  });
  form.focused = true;
  return { form, answers };
}

Deno.test("FormPanel draws its fields, and hides secrets", () => {
  const { form } = createForm({ intro: "Any server that speaks the protocol." });
  const screen = [
    "Connect",
    "Any server that speaks the protocol.",
    "› Address https://…",
    "  Key     ******",
    "Where the server is",
    "Enter next · Esc cancel · Tab moves",
  ].join("\n");
  assert.equal(seen(form, 80), screen);
  assert.equal(seen(form, 40), screen);
  press(form, KEYS.down);
  assert.equal(
    seen(form, 40).split("\n").slice(2).join("\n"),
    ["  Address https://…", "› Key     ******", "Enter submit · Esc cancel · Tab moves"].join("\n"),
  );
});

Deno.test("FormPanel goes from field to field, and submits what stands in them", () => {
  const { form, answers } = createForm();
  press(form, "\x1b[200~ https://host/v1 \n\x1b[201~", KEYS.tab);
  type(form, "xy");
  press(form, KEYS.backspace, KEYS.shiftTab);
  press(form, KEYS.enter, KEYS.enter);
  assert.deepEqual(answers, [{ url: "https://host/v1", key: "s3cretx" }]);
  press(form, KEYS.escape, KEYS.ctrlC);
  assert.deepEqual(answers.slice(1), ["left", "left"]);
});

Deno.test("FormPanel shows what is wrong with a field, and submits nothing before", () => {
  const { form, answers } = createForm();
  press(form, KEYS.enter);
  assert.equal(seen(form, 40).split("\n")[3], "An address is needed");
  press(form, KEYS.up, KEYS.enter);
  const screen = seen(form, 40).split("\n");
  assert.deepEqual([screen[1], screen[3]], ["› Address https://…", "An address is needed"]);
  assert.deepEqual(answers, []);
  type(form, "h");
  assert.equal(seen(form, 40).split("\n")[3], "Where the server is");
  form.setProblem("The server does not answer", "key");
  assert.deepEqual(seen(form, 40).split("\n").slice(1, 4), [
    "  Address h",
    "› Key     ******",
    "The server does not answer",
  ]);
});

Deno.test("createInputPanel() asks for one line", () => {
  const answers: unknown[] = [];
  const panel = createInputPanel({ label: "Name", value: "old" }, {
    title: "Rename",
    theme: ASCII_THEME,
    frame: frameOf(4),
    onSubmit: (value) => answers.push(value),
    onCancel: () => answers.push("left"),
  });
  panel.focused = true;
  type(panel, " é ");
  assert.equal(seen(panel, 40), "Rename\n> Name old ?");
  press(panel, KEYS.enter);
  assert.deepEqual(answers, ["old é"]);
});

Deno.test("FormPanel draws hostile texts at every size", () => {
  const fields = HOSTILE_TEXTS.map((text, index) => ({
    key: String(index),
    label: "a label that is rather long",
    value: text,
    hint: text,
    placeholder: "日本語 https://",
  }));
  for (const rows of [1, 2, 5, 15]) {
    for (const width of [1, 2, 7, 11, 12, 13, 40, 80]) {
      const { form } = createForm({ fields, frame: frameOf(rows), intro: HOSTILE_TEXTS.join(" ") });
      for (const _ of fields) {
        assertDrawable(form, { width, rows });
        press(form, KEYS.left, KEYS.down);
      }
    }
  }
});

Deno.test("FormPanel submits a long form from any line, once nothing is wrong in it", () => {
  const fields = ["a", "b", "c", "d", "e"].map((key) => ({
    key,
    label: key,
    check: (value: string) => key === "d" && value === "" ? "It is needed" : undefined,
  }));
  const { form, answers } = createForm({ fields });
  assert.match(seen(form, 80), /Enter next · Ctrl\+S submit · Esc cancel · Tab moves$/);
  press(form, "\x13");
  assert.deepEqual(answers, []);
  assert.match(seen(form, 80), /› d\n/);
  type(form, "x");
  press(form, KEYS.up, "\x13");
  assert.deepEqual(answers, [{ a: "", b: "", c: "", d: "x", e: "" }]);
});
