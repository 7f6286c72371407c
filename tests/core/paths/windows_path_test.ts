import { rejects, strictEqual } from "node:assert/strict";
import { judgePath } from "../../../core/paths/judge_path.ts";
import { classifyWindowsPath, type WindowsPathKind } from "../../../core/paths/windows_path.ts";
import { withTempDir } from "../../support/temp.ts";

const ROWS: readonly (readonly [string, WindowsPathKind])[] = [
  ["src\\main.ts", "plain"],
  ["src/main.ts", "plain"],
  [".\\..\\x", "plain"],
  ["C:\\app\\x", "plain"],
  ["c:/app/x", "plain"],
  ["\\app\\x", "plain"],
  ["/app/x", "plain"],
  ["?name", "plain"],
  ["console.ts", "plain"],
  ["com10.txt", "plain"],
  ["nullable.ts", "plain"],
  ["\\\\?\\C:\\app\\x", "nt"],
  ["//?/C:/app/x", "nt"],
  ["\\\\?\\UNC\\server\\share", "nt"],
  ["\\\\?\\GLOBALROOT\\Device\\x", "nt"],
  ["\\??\\C:\\app", "nt"],
  ["/??/c:/app", "nt"],
  ["\\\\??\\C:\\app", "nt"],
  ["\\\\.\\PhysicalDrive0", "device"],
  ["//./pipe/x", "device"],
  ["\\/.\\C:", "device"],
  ["NUL", "device"],
  ["nul.txt", "device"],
  ["src/Aux", "device"],
  ["C:\\app\\CON", "device"],
  ["com1", "device"],
  ["LPT¹.log", "device"],
  ["nul:", "device"],
  ["con .txt", "device"],
  ["\\\\server\\share\\x", "unc"],
  ["//server/share/x", "unc"],
  ["/\\server\\share", "unc"],
  ["\\\\127.0.0.1\\c$", "unc"],
  ["C:secret", "drive_relative"],
  ["c:", "drive_relative"],
  ["file.txt:hidden", "stream"],
  ["C:\\app\\file.txt::$DATA", "stream"],
  [".alisio.\\config.json", "trailing"],
  ["config.json ", "trailing"],
];

for (const [path, kind] of ROWS) {
  Deno.test(`classifyWindowsPath() says ${kind} for ${JSON.stringify(path)} (field case 80)`, () => {
    strictEqual(classifyWindowsPath(path), kind);
  });
}

Deno.test("judgePath() refuses forbidden Windows forms before any access (field case 80)", async () => {
  await withTempDir(async (dir) => {
    for (const [path, kind] of ROWS) {
      const judged = judgePath(path, { workspace: dir, roots: [dir], platform: "windows" });
      if (kind === "plain") await judged;
      else await rejects(judged, { name: "PathError", code: "forbidden_form" }, path);
    }
  });
});
