/** What one release brought. */
export interface ChangelogEntry {
  /** SemVer, without a letter before it. */
  readonly version: string;
  /** Markdown, without a heading for the version. */
  readonly notes: string;
}

/**
 * What each release brought, the newest first. The newest is the version that this is:
 * `deno task changelog` puts the notes of a release there before it is tagged.
 */
export const CHANGELOG: readonly ChangelogEntry[] = [
  {
    version: "0.1.0",
    notes: `The first version.

- A coding agent for the terminal, for one task, for scripts, and for other programs
- Every tool has an effect, and the effect decides: run, ask or refuse
- A second wall below its own code: the permissions of the runtime, and on Linux the kernel
- Sessions that survive a crash and go on where they were
- Risk profiles, sandboxes for programs, and an audit of every decision
- Plugins with tools, commands, providers, skills and prompt templates
`,
  },
];
