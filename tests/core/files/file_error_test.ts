import { strictEqual } from "node:assert/strict";
import { FileError, toFileError } from "../../../core/files/file_error.ts";

const ROWS: readonly (readonly [string, string])[] = [
  ["ENOSPC", "no_space"],
  ["EDQUOT", "no_space"],
  ["EFBIG", "no_space"],
  ["EROFS", "read_only"],
  ["EACCES", "permission_denied"],
  ["EPERM", "permission_denied"],
  ["ENOENT", "not_found"],
  ["ENOTDIR", "not_found"],
  ["EISDIR", "is_folder"],
  ["ESTALE", "io"],
];

for (const [systemCode, code] of ROWS) {
  Deno.test(`toFileError() tells ${systemCode} as ${code}`, () => {
    const cause = Object.assign(new Error("text of the system"), { code: systemCode });
    const error = toFileError(cause, "write", "/ws/a.txt");
    strictEqual(error instanceof FileError, true);
    if (!(error instanceof FileError)) return;
    strictEqual(error.code, code);
    strictEqual(error.cause, cause);
    strictEqual(error.message.startsWith('Cannot write file "/ws/a.txt": '), true);
  });
}

Deno.test({
  name: "toFileError() knows errors that the runtime gives only a number",
  ignore: Deno.build.os === "windows",
  fn: () => {
    const error = toFileError(new Error("File too large (os error 27)"), "write", "/x");
    strictEqual(error instanceof FileError && error.code, "no_space");
    const other = toFileError(new Error("Odd (os error 9999)"), "write", "/x");
    strictEqual(
      other instanceof FileError && other.message,
      'Cannot write file "/x": the system reports error 9999',
    );
  },
});

Deno.test("toFileError() leaves cancellation and errors of other kinds as they are", () => {
  const errors = [
    new DOMException("aborted", "AbortError"),
    Object.assign(new Error("refused"), { code: "workspace_invalid" }),
    new TypeError("wrong"),
    "text",
  ];
  for (const error of errors) strictEqual(toFileError(error, "read", "/x"), error);
});
