import assert from "node:assert/strict";
import type { SandboxBackend } from "../../../core/gate/profile/risk_profile.ts";
import { strictestBackend } from "../../../core/sandbox/sandbox_backend.ts";

Deno.test("strictestBackend() takes the stricter of a profile and the configuration", () => {
  const rows: readonly (readonly [SandboxBackend | null, SandboxBackend, SandboxBackend])[] = [
    [null, "none", "none"],
    [null, "auto", "auto"],
    ["none", "none", "none"],
    ["none", "auto", "auto"],
    ["none", "landlock", "landlock"],
    ["auto", "none", "auto"],
    ["auto", "bubblewrap", "bubblewrap"],
    ["landlock", "auto", "landlock"],
    ["landlock", "bubblewrap", "bubblewrap"],
    ["bubblewrap", "landlock", "bubblewrap"],
    ["firejail", "auto", "firejail"],
    ["firejail", "bubblewrap", "firejail"],
    ["auto", "sandbox-exec", "sandbox-exec"],
    ["none", "sandbox-exec", "sandbox-exec"],
    ["landlock", "sandbox-exec", "landlock"],
  ];
  for (const [profile, configured, expected] of rows) {
    assert.equal(strictestBackend(profile, configured), expected, `${profile}, ${configured}`);
  }
});
