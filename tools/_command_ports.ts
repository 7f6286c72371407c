import type { ProgramPorts } from "./_program_ports.ts";

/** What tools that run commands are given. */
export interface CommandPorts extends ProgramPorts {
  /**
   * Where the full output of a call goes when it is more than the result holds.
   *
   * @param callId The call.
   */
  readonly outputPath?: (callId: string) => string;
}
