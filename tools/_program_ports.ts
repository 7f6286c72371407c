/** What tools that run programs are given. */
export interface ProgramPorts {
  /**
   * Absolute path of a program by name, or null. Never one that lies in the workspace.
   *
   * @param name A bare name such as `git`.
   */
  findExecutable(name: string): Promise<string | null>;
  /** The whole environment of the programs. */
  environment(): Readonly<Record<string, string>>;
  /** Real paths of files that they must not open, whatever folder they look through. */
  readonly secretFiles?: readonly string[];
  /** Whether a real path is a file of stored keys, or a copy of one beside it. */
  readonly isSecret?: (real: string) => boolean;
}
