import assert from "node:assert/strict";
import { guardAgainstStrays } from "../../../core/plugins/guard_against_strays.ts";

/** Whether a failure of that kind would end the program. */
function endsProgram(error: unknown): boolean {
  return globalThis.dispatchEvent(new ErrorEvent("error", { error, cancelable: true }));
}

/** An error that the runtime made at a time of its own. */
function runtimeError(message: string): Error {
  const error = new Error(message);
  error.stack = `Error: ${message}\n    at connect (ext:deno_node/net.ts:1:2)`;
  return error;
}

Deno.test("guardAgainstStrays() takes no failure of other modules for one of a plugin", () => {
  const notices: string[] = [];
  const guard = guardAgainstStrays({ ownerOf: () => undefined }, (notice) => notices.push(notice));
  guard.within("acme.one", () => {});
  guard.within("acme.two", () => {});
  assert.equal(endsProgram(new Error("of the program that embeds this one")), true);
  assert.equal(endsProgram(runtimeError("cannot connect")), false);
  assert.equal(guard.within("acme.two", () => endsProgram(runtimeError("cannot bind"))), false);
  assert.deepEqual(notices, [
    "One of the plugins acme.one, acme.two failed in the background: cannot connect",
    "Plugin acme.two failed in the background: cannot bind",
  ]);
  guard.close();
  assert.equal(endsProgram(runtimeError("nobody's")), true);
  assert.equal(guard.within("acme.two", () => endsProgram(runtimeError("too late"))), false);
  assert.equal(notices.length, 2);
});
