import assert from "node:assert/strict";
import { parseProgramForm, readProgramForm } from "../../../core/wall/elf_interpreter.ts";

/** The start of a program with one header of a type, and a text that it points to. */
function elf(type: number, text: string): Uint8Array {
  const bytes = new Uint8Array(64 + 56 + text.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x7f454c46);
  bytes[4] = 2;
  bytes[5] = 1;
  view.setBigUint64(32, 64n, true);
  view.setUint16(54, 56, true);
  view.setUint16(56, 1, true);
  view.setUint32(64, type, true);
  view.setBigUint64(64 + 8, 120n, true);
  view.setBigUint64(64 + 32, BigInt(text.length), true);
  bytes.set(new TextEncoder().encode(text), 120);
  return bytes;
}

Deno.test("parseProgramForm() tells programs with and without a loader from everything else", () => {
  const dynamic = elf(3, "/lib/ld.so\0");
  const big = elf(3, "/lib/ld.so\0");
  big[5] = 2;
  const rows: readonly (readonly [string, Uint8Array, unknown])[] = [
    ["a loader", dynamic, { kind: "dynamic", interpreter: "/lib/ld.so" }],
    ["no loader", elf(1, "x"), { kind: "static" }],
    ["a script", new TextEncoder().encode(`#!/bin/sh\n${" ".repeat(99)}`), { kind: "other" }],
    ["nothing", new Uint8Array(), { kind: "other" }],
    ["a cut header", dynamic.subarray(0, 80), { kind: "other" }],
    ["a cut loader", dynamic.subarray(0, 125), { kind: "other" }],
    ["a relative loader", elf(3, "lib/ld.so\0"), { kind: "other" }],
    ["an empty loader", elf(3, "\0"), { kind: "other" }],
    ["another byte order", big, { kind: "other" }],
  ];
  for (const [name, bytes, expected] of rows) {
    assert.deepEqual(parseProgramForm(bytes), expected, name);
  }
});

Deno.test("parseProgramForm() reads a part of a larger buffer", () => {
  const whole = new Uint8Array([9, 9, ...elf(3, "/lib/ld.so\0")]);
  assert.equal(parseProgramForm(whole.subarray(2)).kind, "dynamic");
});

Deno.test({
  name: "readProgramForm() finds the loader of the runtime itself",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const form = readProgramForm(Deno.execPath());
    assert.equal(form.kind, "dynamic");
    if (form.kind === "dynamic") assert.ok((await Deno.stat(form.interpreter)).isFile);
    assert.deepEqual(readProgramForm("/no/such/program"), { kind: "other" });
  },
});
