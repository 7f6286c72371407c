import assert from "node:assert/strict";
import { runCommand } from "../../../core/process/run_command.ts";
import { isRunning } from "./_is_running.ts";
import { inOwnProcess } from "./_own_process.ts";

const QUIET = ">/dev/null 2>&1 </dev/null";

/** Each prints the id of what it leaves running. */
const ESCAPES: readonly (readonly [string, string])[] = [
  ["without an environment", `env -i setsid /bin/sleep 60 ${QUIET} & echo $!`],
  [
    "without an environment and a living parent",
    `env -i setsid /bin/sh -c '/bin/sleep 60 ${QUIET} & echo $!'`,
  ],
  [
    "after a double fork",
    `(env -i setsid -f /bin/sh -c 'echo $$; exec /bin/sleep 60 ${QUIET}'); sleep 0.1`,
  ],
  [
    "that ignores requests to end",
    `env -i setsid /bin/sh -c 'trap "" TERM; echo $$; exec ${QUIET}; while :; do /bin/sleep 1; done' &
    sleep 0.1`,
  ],
];

function registerTests(): void {
  for (const [name, script] of ESCAPES) {
    Deno.test(`runCommand() ends a process ${name} (field case 86)`, async () => {
      const outcome = await runCommand({
        program: "/bin/sh",
        args: ["-c", script],
        cwd: "/",
        env: { PATH: "/usr/bin:/bin" },
        timeoutMs: 20_000,
        signal: new AbortController().signal,
        findEscaped: true,
      });
      const pid = Number(outcome.stdout);
      assert.ok(pid > 1, JSON.stringify(outcome));
      assert.deepEqual([outcome.endedBy, outcome.leftBehind], ["exit", "killed"]);
      assert.equal(isRunning(pid), false);
    });
  }
}

inOwnProcess(import.meta.filename, {
  name: "ProcessGroup finds what escaped, in a process that nothing else uses",
  ignore: Deno.build.os !== "linux",
  register: registerTests,
});
