import { strictEqual } from "node:assert/strict";
import { isProtectedPath } from "../../../core/paths/protected_paths.ts";

interface Row {
  readonly path: string;
  readonly platform: typeof Deno.build.os;
  readonly isProtected: boolean;
}

const ROWS: readonly Row[] = [
  { path: "/ws/.alisio/config.json", platform: "linux", isProtected: true },
  { path: "/ws/.alisio", platform: "linux", isProtected: true },
  { path: "/ws/.alisio/plugins/x/mod.ts", platform: "linux", isProtected: true },
  { path: "/ws/.alisio/cache", platform: "linux", isProtected: false },
  { path: "/ws/.alisio/cache/x", platform: "linux", isProtected: false },
  { path: "/ws/.alisio/cached", platform: "linux", isProtected: true },
  { path: "/ws/.alisio-notes/x", platform: "linux", isProtected: false },
  { path: "/ws/src/.alisio.ts", platform: "linux", isProtected: false },
  { path: "/ws/.ALISIO/config.json", platform: "linux", isProtected: false },
  { path: "/ws/.ALISIO/config.json", platform: "darwin", isProtected: true },
  { path: "/ws/.aliſio/config.json", platform: "darwin", isProtected: true },
  { path: "/ws/.ali\u200csio/config.json", platform: "darwin", isProtected: true },
  { path: "/ws/.ALISIO/Cache/x", platform: "darwin", isProtected: false },
  { path: "/home/me/.config/alisio/config.json", platform: "linux", isProtected: true },
  { path: "/home/me/.config/alisio/plugins/a/b.js", platform: "linux", isProtected: true },
  { path: "/home/me/.config/alisio-old/config.json", platform: "linux", isProtected: false },
  { path: "/home/me/.local/state/alisio/sessions.db", platform: "linux", isProtected: true },
  { path: "/home/me/.local/state/other.db", platform: "linux", isProtected: false },
  { path: "/ws/README.md", platform: "linux", isProtected: false },
];

for (const { path, platform, isProtected } of ROWS) {
  const name = `isProtectedPath() says ${isProtected} for ${JSON.stringify(path)} on ${platform}`;
  Deno.test(`${name} (field case 81)`, () => {
    const options = {
      workspace: "/ws",
      configHome: "/home/me/.config/alisio",
      stateHome: "/home/me/.local/state/alisio",
      platform,
    };
    strictEqual(isProtectedPath(path, options), isProtected);
  });
}

Deno.test("isProtectedPath() compares Windows paths without regard to case (field case 81)", () => {
  const options = {
    workspace: "C:\\ws",
    configHome: "C:\\Users\\me\\AppData\\alisio",
    stateHome: "C:\\Users\\me\\Local\\alisio",
    platform: "windows",
  } as const;
  strictEqual(isProtectedPath("c:\\WS\\.Alisio\\config.json", options), true);
  strictEqual(isProtectedPath("c:\\WS\\.Alisio\\CACHE\\x", options), false);
  strictEqual(isProtectedPath("c:\\users\\ME\\appdata\\ALISIO\\trust.json", options), true);
  strictEqual(isProtectedPath("c:\\users\\ME\\appdata\\other\\trust.json", options), false);
});

Deno.test("isProtectedPath() holds when the workspace is the root folder", () => {
  const options = { workspace: "/", configHome: "/c", stateHome: "/s", platform: "linux" } as const;
  strictEqual(isProtectedPath("/.alisio/config.json", options), true);
  strictEqual(isProtectedPath("/x", options), false);
});
