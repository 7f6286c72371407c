/**
 * Runs a program that this process may start, and whose failure changes nothing that matters.
 *
 * @param program Its name; it is one of the system's own.
 * @param args Its arguments.
 */
export async function runQuietly(program: string, args: readonly string[]): Promise<void> {
  try {
    await new Deno.Command(program, {
      args: [...args],
      cwd: "/",
      clearEnv: true,
      env: { PATH: "/usr/bin:/bin" },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).output();
  } catch {
    // What was to be changed stays as it is.
  }
}
