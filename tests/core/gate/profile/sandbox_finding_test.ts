import assert from "node:assert/strict";
import { sandboxFinding } from "../../../../core/gate/profile/sandbox_finding.ts";
import { profileFrom } from "./_profiles.ts";

Deno.test("sandboxFinding() refuses a sandbox that is asked for by name, and only that", () => {
  const rows: readonly (readonly [Readonly<Record<string, unknown>>, boolean | null])[] = [
    [{}, false],
    [{ sandboxEnabled: true }, false],
    [{ sandboxBackend: "auto" }, false],
    [{ sandboxBackend: "landlock" }, true],
    [{ sandboxBackend: "bubblewrap", sandboxEnabled: true }, true],
    [{ sandboxBackend: "bubblewrap", sandboxEnabled: false }, null],
    [{ sandboxBackend: "none" }, null],
    [{ preset: "yolo" }, null],
  ];
  for (const [keys, refuses] of rows) {
    const finding = sandboxFinding(profileFrom(keys));
    assert.equal(finding?.refuses ?? null, refuses, JSON.stringify(keys));
  }
});
