import assert from "node:assert/strict";
import { systemFolders, toolFolders } from "../../../core/sandbox/sandbox_folders.ts";

Deno.test("toolFolders() opens what is in PATH and the folders around bin and shims", () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["/usr/bin", ["/usr/bin", "/usr"]],
    ["/bin", ["/bin"]],
    ["/home/a/.nvm/versions/node/v20/bin/", [
      "/home/a/.nvm/versions/node/v20/bin",
      "/home/a/.nvm/versions/node/v20",
    ]],
    ["/home/a/.pyenv/shims", ["/home/a/.pyenv/shims", "/home/a/.pyenv"]],
    ["/home/a/.cargo/bin", ["/home/a/.cargo/bin", "/home/a/.cargo", "/home/a/.rustup"]],
    ["/home/a/scripts", ["/home/a/scripts"]],
    // Never the home folder, nor one around it.
    ["/home/a/bin", ["/home/a/bin"]],
    ["/home/bin", ["/home/bin"]],
    ["/home/a", []],
    ["/home", []],
    ["/", []],
  ];
  for (const [entry, expected] of rows) {
    assert.deepEqual(toolFolders([entry], "/home/a"), expected, entry);
  }
});

Deno.test("toolFolders() opens of ~/.local only what holds programs", () => {
  const folders = toolFolders(["/home/a/.local/bin"], "/home/a");
  assert.ok(folders.includes("/home/a/.local/share/pipx"));
  for (const closed of ["/home/a/.local", "/home/a/.local/share", "/home/a/.local/state"]) {
    assert.equal(folders.includes(closed), false, closed);
  }
});

Deno.test("systemFolders() opens neither homes nor what changes", () => {
  for (const platform of ["linux", "darwin"] as const) {
    for (const closed of ["/", "/home", "/root", "/Users", "/var", "/tmp", "/proc", "/run"]) {
      assert.equal(systemFolders(platform).includes(closed), false, closed);
    }
  }
});
