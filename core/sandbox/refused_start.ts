import { CommandError } from "../process/command_error.ts";

/**
 * The error of a program that a sandbox could not start, worded as outside of one.
 *
 * @param program The program as it was asked for.
 * @param what What it is not: found, or executable.
 */
export function refusedStart(program: string, what: "found" | "executable"): CommandError {
  const shown = program.length > 200 ? `${program.slice(0, 200)}…` : program;
  const start = `Cannot run ${JSON.stringify(shown)}`;
  if (what === "executable") {
    return new CommandError(
      "program_not_executable",
      `${start}: the system does not let it be executed; check that it is a program and its mode`,
    );
  }
  const where = program.includes("/") ? "that file does not exist" : "it is not in PATH";
  return new CommandError("program_not_found", `${start}: ${where}`);
}
