import assert from "node:assert/strict";
import { formatTestSummary, summariseTests } from "./test_summary.ts";

const ROWS = [
  {
    name: "success",
    output: "ok | 12 passed (3 steps) | 0 failed | 1 ignored (5ms)\n",
    code: 0,
    expected: { passed: 12, failed: 0, code: 0 },
  },
  {
    name: "failures",
    output: "FAILED | 3 passed | 2 failed (5ms)\n\nerror: Test failed\n",
    code: 1,
    expected: { passed: 3, failed: 2, code: 1 },
  },
  {
    name: "colours",
    output: "\x1b[0m\x1b[32mok\x1b[0m | 1 passed | 0 failed \x1b[38;5;245m(7ms)\x1b[0m\n",
    code: 0,
    expected: { passed: 1, failed: 0, code: 0 },
  },
  {
    name: "a summary that a test printed, before the real one",
    output: "ok | 99 passed | 0 failed\nFAILED | 1 passed | 1 failed (5ms)\n",
    code: 1,
    expected: { passed: 1, failed: 1, code: 1 },
  },
  {
    name: "success that ends badly",
    output: "ok | 4 passed | 0 failed (5ms)\n",
    code: 124,
    expected: { passed: 4, failed: 1, code: 124 },
  },
  {
    name: "no test at all",
    output: "ok | 0 passed | 0 failed | 3 filtered out (5ms)\n",
    code: 0,
    expected: { passed: 0, failed: 1, code: 1 },
  },
  { name: "no summary", output: "", code: 0, expected: { passed: 0, failed: 1, code: 1 } },
  {
    name: "a type error",
    output: "TS2322\n",
    code: 1,
    expected: { passed: 0, failed: 1, code: 1 },
  },
];

Deno.test("summariseTests() never lets a bad end look like success", () => {
  for (const { name, output, code, expected } of ROWS) {
    assert.deepEqual(summariseTests(output, code), expected, name);
  }
});

Deno.test("formatTestSummary() writes the line that scripts read", () => {
  assert.equal(formatTestSummary({ passed: 2, failed: 1, code: 1 }), "2 passed, 1 failed");
});
