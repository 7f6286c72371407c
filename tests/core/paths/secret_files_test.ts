import { strictEqual } from "node:assert/strict";
import { isSecretFile } from "../../../core/paths/secret_files.ts";

const ROWS: readonly (readonly [string, boolean])[] = [
  ["/c/credentials.json", true],
  ["/c/credentials.json.bak", true],
  ["/c/credentials.json~", true],
  ["/c/.credentials.json.swp", true],
  ["/c/Credentials.JSON.old", true],
  ["/c/.alisio-12-0123456789abcdef.tmp", true],
  ["/c/config.json", false],
  ["/c/credentials", false],
  ["/c/.alisio-notes.tmp", false],
  ["/c/sub/credentials.json", false],
  ["/ws/.alisio-12-0123456789abcdef.tmp", false],
  ["/elsewhere/keys.json", true],
];

for (const [path, expected] of ROWS) {
  Deno.test(`isSecretFile() says ${expected} for ${path}`, () => {
    strictEqual(isSecretFile(path, ["/c/credentials.json", "/elsewhere/keys.json"]), expected);
  });
}
