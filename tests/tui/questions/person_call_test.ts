import assert from "node:assert/strict";
import { personCall } from "../../../tui/questions/person_call.ts";

Deno.test("personCall() calls nobody who looks, or does not want it", () => {
  const rows: readonly (readonly [
    notify: "off" | "bell" | "osc9",
    hasFocus: boolean | undefined,
    written: string,
  ])[] = [
    ["off", false, ""],
    ["off", undefined, ""],
    ["bell", true, ""],
    ["bell", false, "\x07"],
    ["bell", undefined, "\x07"],
    ["osc9", true, ""],
    ["osc9", false, "\x1b]9;Alisio: Allow shell?\x07"],
  ];
  for (const [notify, hasFocus, written] of rows) {
    assert.equal(
      personCall("Allow shell?", { notify, hasFocus }),
      written,
      `${notify} ${hasFocus}`,
    );
  }
});

Deno.test("personCall() lets no text end the sequence that it stands in", () => {
  const written = personCall(`a\x07\x1b]52;c;x\x07${"b".repeat(500)}`, {
    notify: "osc9",
    hasFocus: false,
  });
  assert.equal(written, `\x1b]9;Alisio: a\\x07\\x1b]52;c;x\\x07${"b".repeat(189)}…\x07`);
});
