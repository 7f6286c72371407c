/** A shell, ready for one command line. */
export interface ShellProgram {
  /** The program. */
  readonly program: string;
  /** Everything that goes before the command line, then the command line. */
  readonly args: readonly string[];
  /** Whether the arguments must reach the program unquoted. */
  readonly windowsRawArguments: boolean;
}

/**
 * How to run a command line on this system.
 *
 * Models write for bash, so bash runs it where it is installed, without login or startup files;
 * `/bin/sh` where it is not, and `cmd.exe` on Windows.
 *
 * @param command The command line.
 * @param options The system, and the path of bash if there is one.
 */
export function shellProgram(
  command: string,
  options: { readonly os: typeof Deno.build.os; readonly bash: string | null },
): ShellProgram {
  if (options.os === "windows") {
    // With /s, cmd.exe strips exactly the outer pair of quotes and leaves the rest alone.
    return {
      program: "cmd.exe",
      args: ["/d", "/s", "/c", `"${command}"`],
      windowsRawArguments: true,
    };
  }
  return {
    program: options.bash ?? "/bin/sh",
    args: ["-c", command],
    windowsRawArguments: false,
  };
}
