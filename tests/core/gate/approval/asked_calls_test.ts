import assert from "node:assert/strict";
import { AskedCalls } from "../../../../core/gate/approval/asked_calls.ts";

Deno.test("AskedCalls.look() finds an equal command in one response, however it is written", () => {
  const asked = new AskedCalls();
  assert.equal(asked.look("shell", { command: "make", options: { a: 1, b: [2, 3] } }, 1), "new");
  assert.equal(
    asked.look(" Shell ", { options: { b: [2, 3], a: 1 }, command: "make" }, 1),
    "duplicate",
  );
  assert.equal(asked.look("shell", { command: "make", options: { a: 1, b: [3, 2] } }, 1), "new");
  assert.equal(asked.look("run_process", { command: "make" }, 1), "new");
  assert.equal(asked.look("shell", { command: "make", options: { a: 1, b: [2, 3] } }, 2), "new");
});

Deno.test("AskedCalls.look() takes an equal call of other tools in one response for meant", () => {
  const asked = new AskedCalls();
  for (const tool of ["write_file", "task"]) {
    assert.equal(asked.look(tool, { path: "a" }, 1), "new", tool);
    assert.equal(asked.look(tool, { path: "a" }, 1), "new", tool);
  }
});

Deno.test("AskedCalls.look() remembers what a person said to a call for the whole run", () => {
  const asked = new AskedCalls();
  asked.settle("Write_File", { path: "a", content: "b" }, "refused");
  asked.settle("shell", { command: "make" }, "answered");
  asked.settle("task", { prompt: "look" }, "refused");
  assert.equal(asked.look("write_file", { content: "b", path: "a" }, 1), "refused");
  assert.equal(asked.look("write_file", { content: "c", path: "a" }, 1), "new");
  assert.equal(asked.look("shell", { command: "make" }, 1), "answered");
  assert.equal(
    asked.look("task", { prompt: "look" }, 1),
    "new",
    "another agent may be started again",
  );
});

Deno.test("AskedCalls.settle() keeps a bounded number of calls", () => {
  const asked = new AskedCalls();
  for (let index = 0; index <= 1_000; index++) asked.settle("write_file", { index }, "refused");
  assert.equal(asked.look("write_file", { index: 0 }, 1), "new");
  assert.equal(asked.look("write_file", { index: 1_000 }, 1), "refused");
});
