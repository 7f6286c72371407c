import { equal } from "node:assert/strict";
import { isLoopbackHost } from "../../../core/config/loopback_host.ts";

const ROWS: readonly (readonly [string, boolean])[] = [
  ["http://localhost:11434/v1", true],
  ["http://LOCALHOST./", true],
  ["http://app.localhost/", true],
  ["http://127.0.0.1/", true],
  ["http://127.9.9.9/", true],
  ["http://2130706433/", true],
  ["http://0x7f.1/", true],
  ["http://[::1]:8080/", true],
  ["http://[::ffff:127.0.0.1]/", true],
  ["http://128.0.0.1/", false],
  ["http://10.0.0.1/", false],
  ["http://localhost.example.com/", false],
  ["http://127.0.0.1.example.com/", false],
  ["http://notlocalhost/", false],
  ["http://[::2]/", false],
  ["http://[::ffff:10.0.0.1]/", false],
];

for (const [address, expected] of ROWS) {
  Deno.test(`isLoopbackHost() is ${expected} for ${address}`, () => {
    equal(isLoopbackHost(new URL(address).hostname), expected);
  });
}
