import type { StreamRedactor } from "../core/process/stream_redactor.ts";
import type { Sandbox } from "../core/sandbox/sandbox.ts";
import type { ProgramPorts } from "./_program_ports.ts";

/** What tools that run commands are given. */
export interface CommandPorts extends ProgramPorts {
  /** Makes what takes the secrets of this moment out of one stream of output. */
  readonly createRedactor: () => StreamRedactor;
  /**
   * Longest run of one command, whatever a call asks for.
   *
   * @default no limit beyond those of the tools
   */
  readonly maxCommandMs?: number;
  /**
   * The sandbox that commands run in, asked for at each call; `null` where none is in force.
   *
   * @default none
   */
  readonly sandbox?: () => Sandbox | null;
}
