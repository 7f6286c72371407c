/**
 * Runs a program of the system that this process may start, and whose failure changes nothing that
 * matters. What `PATH` names is not looked through: a folder that programs write to may be in it.
 *
 * @param program Its name.
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
