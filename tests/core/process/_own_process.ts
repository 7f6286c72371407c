import assert from "node:assert/strict";
import { DENO, ROOT } from "../../support/paths.ts";

/** Tells a test file that it runs in a process of its own. */
const VARIABLE = "ALISIO_TEST_OWN_PROCESS";

/**
 * Registers tests that change this whole process for moments, which test files on other threads of
 * it would disturb: they run in a process of their own.
 *
 * @param file `import.meta.filename` of the test file.
 * @param name What the tests are about, for the one test that stands for all of them here.
 * @param register Registers them.
 */
export function inOwnProcess(
  file: string | undefined,
  { name, register, ignore }: {
    readonly name: string;
    readonly register: () => void;
    readonly ignore: boolean;
  },
): void {
  if (Deno.env.get(VARIABLE) !== undefined) return register();
  Deno.test({
    name,
    ignore,
    async fn() {
      assert.ok(file !== undefined);
      const { success, stdout, stderr } = await new Deno.Command(DENO, {
        args: ["test", "-A", "--no-check", file],
        cwd: ROOT,
        env: { [VARIABLE]: "1", NO_COLOR: "1" },
        stdin: "null",
      }).output();
      const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      assert.ok(success, output);
      assert.match(output, /[1-9][0-9]* passed/);
    },
  });
}
