import assert from "node:assert/strict";
import { changeAgentText, EMPTY_AGENT_TEXT } from "../../../core/agents/agent_text.ts";
import { createYamlEditor } from "../../../tools/yaml_editor.ts";

const edit = createYamlEditor();

const TEXT = `---
# whose
name: a   # kept
description: About a
x-other: {k: 1,  l: 2}
---


You are a.

---
A rule.


`;

Deno.test("changeAgentText() leaves every byte that is not changed", () => {
  for (const text of [TEXT, `\uFEFF${TEXT}`, TEXT.replaceAll("\n", "\r\n")]) {
    const lineBreak = text.includes("\r\n") ? "\r\n" : "\n";
    const told = "You are a.\n\n---\nA rule.";
    assert.equal(changeAgentText(text, { fields: [], instructions: told }, edit), text);
    assert.equal(
      changeAgentText(text, { fields: [{ path: ["model"], value: "m" }] }, edit),
      text.replace(`l: 2}${lineBreak}`, `l: 2}${lineBreak}model: m${lineBreak}`),
    );
    const rewritten = changeAgentText(text, { fields: [], instructions: " New.\nTwo. " }, edit);
    assert.equal(
      rewritten,
      text.slice(0, text.indexOf("You are")).trimEnd() +
        `${lineBreak}${lineBreak}New.${lineBreak}Two.${lineBreak}`,
    );
  }
});

Deno.test("changeAgentText() writes a file that says nothing yet", () => {
  assert.equal(
    changeAgentText(EMPTY_AGENT_TEXT, {
      fields: [{ path: ["description"], value: "About: a" }],
      instructions: "You are a.",
    }, edit),
    '---\ndescription: "About: a"\n---\n\nYou are a.\n',
  );
});

Deno.test("changeAgentText() goes on behind a last line without an end, and empties a body", () => {
  assert.equal(
    changeAgentText("---\na: 1\n---", { fields: [], instructions: "Do." }, edit),
    "---\na: 1\n---\n\nDo.\n",
  );
  assert.equal(
    changeAgentText("---\na: 1\n---\nOld\n", { fields: [], instructions: "" }, edit),
    "---\na: 1\n---\n",
  );
});

Deno.test("changeAgentText() refuses a file without fields", () => {
  for (const text of ["", "Text\n", "---\na: 1\n", "--- \n ---\n"]) {
    assert.throws(
      () => changeAgentText(text, { fields: [{ path: ["a"], value: 2 }] }, edit),
      /no fields between two lines/,
      text,
    );
  }
});
