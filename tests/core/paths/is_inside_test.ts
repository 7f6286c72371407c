import { strictEqual } from "node:assert/strict";
import { isInside } from "../../../core/paths/is_inside.ts";

interface Row {
  readonly path: string;
  readonly root: string;
  readonly inside: boolean;
}

const POSIX_ROWS: readonly Row[] = [
  { path: "/tmp/app", root: "/tmp/app", inside: true },
  { path: "/tmp/app/x", root: "/tmp/app", inside: true },
  { path: "/tmp/app/x", root: "/tmp/app/", inside: true },
  { path: "/tmp/app-secret/x", root: "/tmp/app", inside: false },
  { path: "/tmp/ap", root: "/tmp/app", inside: false },
  { path: "/tmp", root: "/tmp/app", inside: false },
  { path: "/etc/passwd", root: "/", inside: true },
  { path: "/", root: "/", inside: true },
  { path: "/", root: "/tmp", inside: false },
  { path: "/tmp/app/../other", root: "/tmp/app", inside: false },
  { path: "tmp/app/x", root: "/tmp/app", inside: false },
  { path: "/tmp/App/x", root: "/tmp/app", inside: false },
  { path: "/tmp/app\\x", root: "/tmp/app", inside: false },
];

const WINDOWS_ROWS: readonly Row[] = [
  { path: "C:\\app\\x", root: "c:\\app", inside: true },
  { path: "c:/app/x", root: "C:\\app", inside: true },
  { path: "C:\\app-secret\\x", root: "C:\\app", inside: false },
  { path: "D:\\app\\x", root: "C:\\app", inside: false },
  { path: "C:\\anything", root: "C:\\", inside: true },
  { path: "C:anything", root: "C:\\", inside: false },
  { path: "\\\\server\\share\\x", root: "\\\\server\\share", inside: true },
  { path: "\\\\server\\share2\\x", root: "\\\\server\\share", inside: false },
  { path: "server\\share\\x", root: "\\\\server\\share", inside: false },
  { path: "C:\\app\\..\\x", root: "C:\\app", inside: false },
];

for (const { path, root, inside } of POSIX_ROWS) {
  Deno.test(`isInside() says ${inside} for ${path} in ${root} (field case 77)`, () => {
    strictEqual(isInside(path, root, { platform: "linux" }), inside);
  });
}

for (const { path, root, inside } of WINDOWS_ROWS) {
  Deno.test(`isInside() says ${inside} for ${path} in ${root} on Windows (field case 77)`, () => {
    strictEqual(isInside(path, root, { platform: "windows" }), inside);
  });
}
