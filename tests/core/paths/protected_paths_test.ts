import { strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { isProtectedPath } from "../../../core/paths/protected_paths.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

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
  { path: "/ws/.ALISIO/config.json", platform: "linux", isProtected: true },
  { path: "/ws/.ALISIO/Cache/x", platform: "linux", isProtected: false },
  { path: "/home/me/.config/Alisio/config.json", platform: "linux", isProtected: true },
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
  { path: "/ws/.git", platform: "linux", isProtected: true },
  { path: "/ws/.git/config", platform: "linux", isProtected: true },
  { path: "/ws/.git/hooks/pre-commit", platform: "linux", isProtected: true },
  { path: "/ws/.git/info/attributes", platform: "linux", isProtected: true },
  { path: "/ws/.git/modules/a/config", platform: "linux", isProtected: true },
  { path: "/ws/.git/commondir", platform: "linux", isProtected: true },
  { path: "/ws/.git/worktrees/a/gitdir", platform: "linux", isProtected: true },
  { path: "/ws/vendor/lib/.git", platform: "linux", isProtected: true },
  { path: "/ws/vendor/lib/.git/config", platform: "linux", isProtected: true },
  { path: "/ws/.alisio/cache/.git/config", platform: "linux", isProtected: true },
  { path: "/added/.git/config", platform: "linux", isProtected: true },
  { path: "/ws/.GIT/config", platform: "linux", isProtected: true },
  { path: "/ws/.GIT/config", platform: "darwin", isProtected: true },
  { path: "/ws/.g\u200cit/config", platform: "darwin", isProtected: true },
  { path: "/ws/.g\u200cit/config", platform: "linux", isProtected: true },
  { path: "/ws/git~1/config", platform: "linux", isProtected: false },
  { path: "/ws/.gitmodules", platform: "linux", isProtected: false },
  { path: "/ws/.gitattributes", platform: "linux", isProtected: false },
  { path: "/ws/.gitignore", platform: "linux", isProtected: false },
  { path: "/ws/.github/workflows/a.yml", platform: "linux", isProtected: false },
  { path: "/ws/a.git/config", platform: "linux", isProtected: false },
  { path: "/ws/git/config", platform: "linux", isProtected: false },
  { path: "/ws/x/HEAD", platform: "linux", isProtected: true },
  { path: "/ws/x/head", platform: "linux", isProtected: false },
  { path: "/ws/x/head", platform: "darwin", isProtected: true },
  { path: "/ws/HEAD/x", platform: "linux", isProtected: false },
  { path: "/ws/HEAD.md", platform: "linux", isProtected: false },
];

for (const { path, platform, isProtected } of ROWS) {
  const name = `isProtectedPath() says ${isProtected} for ${JSON.stringify(path)} on ${platform}`;
  Deno.test(`${name} (field case 81)`, () => {
    const options = {
      workspace: "/ws",
      own: ["/home/me/.config/alisio", "/home/me/.local/state/alisio"],
      platform,
    };
    strictEqual(isProtectedPath(path, options), isProtected);
  });
}

Deno.test("isProtectedPath() compares Windows paths without regard to case (field case 81)", () => {
  const options = {
    workspace: "C:\\ws",
    own: ["C:\\Users\\me\\AppData\\alisio", "C:\\Users\\me\\Local\\alisio"],
    platform: "windows",
  } as const;
  strictEqual(isProtectedPath("c:\\WS\\.Alisio\\config.json", options), true);
  strictEqual(isProtectedPath("c:\\WS\\.Alisio\\CACHE\\x", options), false);
  strictEqual(isProtectedPath("c:\\users\\ME\\appdata\\ALISIO\\trust.json", options), true);
  strictEqual(isProtectedPath("c:\\users\\ME\\appdata\\other\\trust.json", options), false);
});

Deno.test("isProtectedPath() knows the names that Windows takes for .git", () => {
  const options = {
    workspace: "C:\\ws",
    own: ["C:\\c", "C:\\s"],
    platform: "windows",
  } as const;
  const rows = [
    ["C:\\ws\\.git\\config", true],
    ["c:/ws/.Git/config", true],
    ["C:\\ws\\git~1\\hooks\\pre-commit", true],
    ["C:\\ws\\GIT~12\\config", true],
    ["C:\\ws\\git~1", true],
    ["C:\\ws\\.git. .\\config", true],
    ["C:\\ws\\.git::$INDEX_ALLOCATION\\config", true],
    ["C:\\ws\\bare\\Head", true],
    ["C:\\ws\\git~x\\config", false],
    ["C:\\ws\\my.git\\config", false],
    ["C:\\ws\\.gitignore", false],
  ] as const;
  for (const [path, expected] of rows) strictEqual(isProtectedPath(path, options), expected, path);
});

Deno.test("isProtectedPath() holds when the workspace is the root folder", () => {
  const options = { workspace: "/", own: ["/c", "/s"], platform: "linux" } as const;
  strictEqual(isProtectedPath("/.alisio/config.json", options), true);
  strictEqual(isProtectedPath("/x", options), false);
});

Deno.test("isProtectedPath() protects repositories of any name", async () => {
  await withTempDir(async (dir) => {
    const ref = "ref: refs/heads/main\n";
    await writeTree(dir, {
      "ws/bare/HEAD": ref,
      "ws/bare/refs/heads/main": "",
      "ws/detached/HEAD": `${"0123456789".repeat(4)}\n`,
      // A bare repository with its working trees inside itself.
      "all/HEAD": ref,
      "all/main/.git": "gitdir: ../worktrees/main\n",
      "all/main/src/a.ts": "",
      "ws/tree/HEAD": ref,
      "ws/tree/.git/HEAD": ref,
      "ws/notes/HEAD": "The head of the page\n",
      "ws/folder/HEAD/x": "",
    });
    const options = {
      workspace: join(dir, "ws"),
      own: [join(dir, "c"), join(dir, "s")],
    };
    const rows = [
      ["ws/bare/config", true],
      ["ws/bare/hooks/post-receive", true],
      ["ws/bare/objects/new/file", true],
      ["ws/detached/config", true],
      ["all/config", true],
      ["all/main/src/a.ts", false],
      ["all/main/new", false],
      ["ws/tree/config", false],
      ["ws/notes/config", false],
      ["ws/folder/config", false],
      ["ws/config", false],
    ] as const;
    for (const [path, expected] of rows) {
      strictEqual(isProtectedPath(join(dir, path), options), expected, path);
    }
  });
});

Deno.test({
  name: "isProtectedPath() follows a linked HEAD as Git does",
  ignore: Deno.build.os === "windows",
  async fn() {
    await withTempDir(async (dir) => {
      await writeTree(dir, {
        "old/x": "",
        "linked/x": "",
        "release/v2/x": "",
        "head": "ref: refs/x",
      });
      await Deno.symlink("refs/heads/main", join(dir, "old", "HEAD"));
      await Deno.symlink("../head", join(dir, "linked", "HEAD"));
      await Deno.symlink("v2", join(dir, "release", "HEAD"));
      const options = { workspace: dir, own: ["/c", "/s"] };
      strictEqual(isProtectedPath(join(dir, "old/config"), options), true);
      strictEqual(isProtectedPath(join(dir, "linked/config"), options), true);
      strictEqual(isProtectedPath(join(dir, "release/config"), options), false);
    });
  },
});
