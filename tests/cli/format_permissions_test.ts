import assert from "node:assert/strict";
import { formatPermissions } from "../../cli/format_permissions.ts";

Deno.test("formatPermissions() does not call a path writable that the kernel keeps closed", () => {
  const shown = formatPermissions("relaunch", {
    flags: ["--no-prompt"],
    categories: null,
    kernel: {
      abi: 7,
      write: ["/state", "/ws/.alisio/cache"],
      execute: [],
      tcpPorts: [443],
      missing: ["/ws/.alisio/cache"],
      unenforced: [],
    },
    tools: null,
  });
  assert.match(shown, /\n {2}writable {4}\/state\n {2}executable {2}nothing\n/);
  assert.match(shown, /\n {2}closed {6}\/ws\/\.alisio\/cache, which is not there yet\n/);
});
