import { equal } from "node:assert/strict";
import { isSafeStepUrl } from "../../../../core/provider/auth/is_safe_step_url.ts";

const ROWS: readonly (readonly [url: unknown, isSafe: boolean])[] = [
  ["https://auth.example.com/authorize?a=b#c", true],
  ["https://auth.example.com:8443/", true],
  ["http://localhost:1234/x", true],
  ["http://127.0.0.1/x", true],
  ["http://127.0.0.2/x", false],
  ["http://auth.example.com/", false],
  ["http://localhost.example.com/", false],
  ["http://127.0.0.1.example.com/", false],
  ["http://[::1]/", false],
  ["https://user@auth.example.com/", false],
  ["https://user:pass@auth.example.com/", false],
  ["https://@auth.example.com/", false],
  ["https://auth.example.com/a@b", true],
  ["javascript:alert(1)", false],
  ["file:///etc/passwd", false],
  ["data:text/html,x", false],
  ["https://auth.example.com/\u202e", false],
  ["https://auth.exa\tmple.com/", false],
  ["https://auth.example.com/\x1b]8;;x", false],
  [" https://auth.example.com/", false],
  [`https://auth.example.com/${"a".repeat(9_000)}`, false],
  ["auth.example.com", false],
  ["", false],
  [undefined, false],
  [{ toString: () => "https://auth.example.com/" }, false],
];

for (const [url, isSafe] of ROWS) {
  Deno.test(`isSafeStepUrl() says ${isSafe} of ${JSON.stringify(url)?.slice(0, 60)}`, () => {
    equal(isSafeStepUrl(url), isSafe);
  });
}
