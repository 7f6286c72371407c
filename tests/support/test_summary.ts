/** What a test run came to. */
export interface TestSummary {
  readonly passed: number;
  readonly failed: number;
  /** The status to exit with. */
  readonly code: number;
}

const SUMMARY_REGEXP = /^(?:ok|FAILED) \| (\d+) passed(?: \([^)]*\))? \| (\d+) failed\b/gm;
// deno-lint-ignore no-control-regex
const COLOUR_REGEXP = /\x1b\[[0-9;]*m/g;

/**
 * Reads the last summary that `deno test` printed.
 *
 * A run that fails without a failed test (a type error, a leak, a crash, a time limit) counts as
 * one failure, and so does a run in which no test ran: neither may look like success.
 *
 * @param output What `deno test` printed, or its end.
 * @param code Its exit status.
 */
export function summariseTests(output: string, code: number): TestSummary {
  const last = [...output.replace(COLOUR_REGEXP, "").matchAll(SUMMARY_REGEXP)].at(-1);
  const passed = Number(last?.[1] ?? 0);
  const reported = Number(last?.[2] ?? 0);
  const nothingRan = passed + reported === 0;
  const failed = reported === 0 && (code !== 0 || nothingRan) ? 1 : reported;
  return { passed, failed, code: code === 0 && failed > 0 ? 1 : code };
}

/**
 * The one line that a script reads.
 *
 * @param summary What the run came to.
 */
export function formatTestSummary(summary: TestSummary): string {
  return `${summary.passed} passed, ${summary.failed} failed`;
}
