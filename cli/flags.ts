/** One flag of the command line. */
export interface FlagSpec {
  /** Long name without dashes. */
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /**
   * `list` flags may be given again and collect their values. `optional` flags take a value only
   * behind an equals sign.
   */
  readonly kind: "boolean" | "string" | "list" | "optional";
  /** Placeholder of the value in help. */
  readonly value?: string;
  /** One line of help. */
  readonly help: string;
}

/** Flags that every command takes. */
export const GLOBAL_FLAGS: readonly FlagSpec[] = [
  { name: "cwd", kind: "string", value: "path", help: "Work in this directory" },
  {
    name: "config",
    kind: "string",
    value: "path",
    help: "Trust this configuration file; it replaces the one of the project",
  },
  {
    name: "trust-project",
    kind: "boolean",
    help: "Trust the project's configuration and instructions for this run only",
  },
  {
    name: "model",
    kind: "string",
    value: "id",
    help: "Model to use; on resume, switches the session to it",
  },
  {
    name: "base-url",
    kind: "string",
    value: "url",
    help: "OpenAI-compatible address, with /v1 if it needs it",
  },
  { name: "api-mode", kind: "string", value: "mode", help: "chat or responses" },
  { name: "allow-write", kind: "boolean", help: "Let tools change files without asking" },
  { name: "allow-process", kind: "boolean", help: "Let tools run programs without asking" },
  {
    name: "allow-external",
    kind: "boolean",
    help: "Let tools reach the network and other systems without asking",
  },
  {
    name: "allow-mcp",
    kind: "boolean",
    help: "Start and reach the configured MCP servers, and let the model use their tools",
  },
  {
    name: "allow-agents",
    kind: "boolean",
    help: "Let the model talk to the agents in other panes of Herdr",
  },
  {
    name: "add-dir",
    kind: "list",
    value: "path",
    help: "Another directory that tools may touch, this run only; may be repeated",
  },
  {
    name: "read-only",
    kind: "boolean",
    help: "Refuse every change, program and outside directory; wins over every --allow flag",
  },
  {
    name: "risk-profile",
    kind: "string",
    value: "name",
    help: "Work under this risk profile of the global configuration",
  },
  {
    name: "agents",
    kind: "string",
    value: "json",
    help: "More agents by name, as JSON: {name: {description, prompt, tools?, model?, mode?}}",
  },
  {
    name: "effort",
    kind: "string",
    value: "level",
    help: "Reasoning effort that is asked of the model, such as low, medium or high",
  },
  {
    name: "no-second-wall",
    kind: "boolean",
    help: "Do not limit the process itself, where the system cannot; says so loudly",
  },
  { name: "db", kind: "string", value: "path", help: "Session database file" },
  {
    name: "plugin",
    kind: "list",
    value: "path|package",
    help: "Trust and load this plugin; may be repeated",
  },
  {
    name: "disable-plugin",
    kind: "list",
    value: "id",
    help: "Leave a built-in plugin out; may be repeated",
  },
  {
    name: "no-herdr",
    kind: "boolean",
    help: "Inside Herdr, do not report what Alisio does",
  },
  { name: "json", kind: "boolean", help: "Print versioned JSON lines on standard output" },
  {
    name: "no-tui",
    kind: "boolean",
    help: "Hold a conversation in lines instead of on the whole screen",
  },
  { name: "no-banner", kind: "boolean", help: "Show no startup screen in a conversation" },
  { name: "quiet", kind: "boolean", help: "Print no progress and no hints on standard error" },
  { name: "version", short: "V", kind: "boolean", help: "Print the version" },
  { name: "help", short: "h", kind: "boolean", help: "Print help" },
];

/** Values of the global flags. */
export interface GlobalFlags {
  readonly cwd?: string;
  readonly config?: string;
  readonly trustProject: boolean;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly apiMode?: string;
  readonly allowWrite: boolean;
  readonly allowProcess: boolean;
  readonly allowExternal: boolean;
  readonly allowMcp: boolean;
  readonly allowAgents: boolean;
  readonly addDir: readonly string[];
  readonly readOnly: boolean;
  readonly riskProfile?: string;
  /** As it was typed. */
  readonly agents?: string;
  readonly effort?: string;
  readonly noSecondWall: boolean;
  readonly db?: string;
  readonly plugin: readonly string[];
  readonly disablePlugin: readonly string[];
  readonly noHerdr: boolean;
  readonly json: boolean;
  readonly noTui: boolean;
  readonly noBanner: boolean;
  readonly quiet: boolean;
}

/** A command of the command line. */
export interface CommandSpec {
  readonly name: string;
  /** What follows the name, for help. */
  readonly usage: string;
  /** One line of help. */
  readonly summary: string;
  /** More lines of help. */
  readonly details?: readonly string[];
  /** Flags of this command alone. */
  readonly flags?: readonly FlagSpec[];
}

const WAIT_TASKS: FlagSpec = {
  name: "wait-tasks",
  kind: "optional",
  value: "duration",
  help: "Wait for background tasks, and let the model go on once they ended; =10m limits the wait",
};

/** Every command, in the order of help. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "run",
    usage: "<prompt>",
    summary: "Do one task without a screen, then exit",
    details: [
      'Standard input is added to the prompt:  git diff | alisio run "review this"',
      "A prompt of - is read from standard input alone, however long it takes.",
      "Without a permission flag, tools can read and search, and nothing else.",
      "Background tasks that the model leaves running are stopped at the end.",
      "With --goal it goes on turn after turn, and needs no prompt; one is read after the goal.",
    ],
    flags: [
      {
        name: "goal",
        kind: "string",
        value: "text",
        help: "Work toward this goal until it is complete, blocked or at a limit",
      },
      {
        name: "budget",
        kind: "string",
        value: "tokens",
        help: "Tokens that the goal may use, such as 50k, 1.5M or 250000",
      },
      WAIT_TASKS,
    ],
  },
  {
    name: "resume",
    usage: "<session> [prompt]",
    summary: "Go on with a session",
    details: [
      "The session is an id of `alisio sessions list`, or an unambiguous start of one.",
      "Without a prompt, at a terminal, it goes on as a conversation.",
    ],
    flags: [
      {
        name: "resume-goal",
        kind: "boolean",
        help: "Resume the goal of the session, and work toward it without a screen",
      },
      {
        name: "budget",
        kind: "string",
        value: "tokens",
        help: "Another token budget for the goal; clear for none",
      },
      WAIT_TASKS,
    ],
  },
  {
    name: "connect",
    usage: "[provider]",
    summary: "Connect a model provider and use it from now on",
    details: [
      "At a terminal it asks for everything. With --model it asks nothing, for scripts:",
      "  alisio connect openai-compatible --base-url URL --api-key-env NAME --model ID",
      "A key is never an argument, which others could see.",
    ],
    flags: [
      { name: "list", kind: "boolean", help: "Show what is connected; * marks the active one" },
      {
        name: "remove",
        kind: "string",
        value: "profile",
        help: "Forget a profile, its key and its session",
      },
      {
        name: "profile",
        kind: "string",
        value: "name",
        help: "Save under this name, or change the profile that has it",
      },
      {
        name: "api-key-env",
        kind: "string",
        value: "name",
        help: "The environment variable that holds the key",
      },
      { name: "api-key-stdin", kind: "boolean", help: "Read the key from standard input" },
      {
        name: "sign-in",
        kind: "string",
        value: "method",
        help: "Sign in with an account in this way; a saved profile keeps its model",
      },
      {
        name: "set",
        kind: "list",
        value: "field=value",
        help: "Another field of the provider; may be repeated",
      },
      {
        name: "context-window",
        kind: "string",
        value: "tokens",
        help: "Tokens that the model holds, where the server does not say",
      },
    ],
  },
  {
    name: "setup",
    usage: "",
    summary: "Write an example .alisio/config.json into this directory",
  },
  {
    name: "doctor",
    usage: "",
    summary: "Check this machine, the configuration and the provider",
    details: ["It takes the flags of a run and answers for the run that they would start."],
    flags: [
      {
        name: "permissions",
        kind: "boolean",
        help: "Show all that limits that run: tools, flags of the runtime, rules of the kernel",
      },
    ],
  },
  {
    name: "trust",
    usage: "list | add [path] | revoke <path>",
    summary: "Show and change which projects are trusted",
  },
  {
    name: "sessions",
    usage: "list | show <id> | export <id> | delete <id> | recover <id> | compact <id> [focus] | " +
      "rewind <id> <message> | fork <id> [message]",
    summary: "Look after stored sessions",
    flags: [
      { name: "limit", kind: "string", value: "n", help: "How many sessions to list" },
      { name: "output", kind: "string", value: "file", help: "Export into this new file" },
      { name: "yes", kind: "boolean", help: "Delete, or put files back, without asking" },
      {
        name: "files",
        kind: "boolean",
        help: "Rewind: put back the files that Alisio changed since, too",
      },
      { name: "dry-run", kind: "boolean", help: "Rewind: only say what it would do" },
      { name: "undo", kind: "boolean", help: "Rewind: take the last one back" },
      {
        name: "acknowledge",
        kind: "boolean",
        help: "Recover: accept that interrupted calls may or may not have happened",
      },
    ],
  },
  {
    name: "audit",
    usage: "",
    summary: "Show what was decided about the calls of all sessions, the newest last",
    details: [
      "Decisions: allowed, requested, granted, denied, replaced, timed_out, blocked.",
      "A time is how long ago (90s, 30m, 2h, 7d, 4w), or a date (2026-12-01, 2026-12-01T08:00).",
    ],
    flags: [
      {
        name: "session",
        kind: "string",
        value: "id",
        help: "Of this session, or those that begin so",
      },
      { name: "tool", kind: "string", value: "name", help: "About calls of this tool" },
      { name: "decision", kind: "string", value: "name", help: "Only this decision" },
      { name: "since", kind: "string", value: "time", help: "Only those of then or later" },
      { name: "limit", kind: "string", value: "n", help: "How many of the newest, 50 by default" },
    ],
  },
  {
    name: "plugins",
    usage: "list | doctor | new <folder>",
    summary: "Show which plugins there are, load them to look at them, or begin one",
    details: [
      "list runs no code of a plugin; doctor loads them and shows what they register.",
      "new writes a plugin with tests into a folder that is new or empty.",
    ],
    flags: [
      { name: "id", kind: "string", value: "id", help: "new: the plugin's id, such as acme.hello" },
    ],
  },
  {
    name: "mcp",
    usage: "list | doctor [server] | login <server> | logout <server>",
    summary: "Show MCP servers, connect them to look at them, or sign in at one",
    details: [
      "list starts and reaches none; doctor needs --allow-mcp, or mcp.allow in your configuration.",
      "login signs in with a browser on this machine, or with the address that you paste.",
    ],
  },
  {
    name: "skills",
    usage: "list [path] | validate [path]",
    summary: "Show which skills there are, or what is wrong with their files",
    details: [
      "A path is the folder of a skill, or one with skills, in place of the usual folders.",
      "Neither runs code of plugins, so the skills that those bring are not among them.",
    ],
  },
  {
    name: "agents",
    usage: "list | show <id>",
    summary: "Show how agents are defined, and what is wrong with any definition",
    details: [
      "show prints one definition with what the agent is told.",
      "Neither runs code of plugins, so the agents that those bring are not among them.",
    ],
  },
  {
    name: "install",
    usage: "npm:<package>[@<version>] | <file>.tgz",
    summary: "Install a plugin for all projects, or update it",
    details: [
      "Without a package, --update updates every plugin that was installed from npm.",
      "Scripts that packages run when they are installed are left out, unless you name them.",
    ],
    flags: [
      { name: "update", kind: "boolean", help: "Replace what is installed by the latest version" },
      { name: "yes", kind: "boolean", help: "Trust the plugin and install it without asking" },
      { name: "trust-plugin", kind: "boolean", help: "The same as --yes" },
      {
        name: "allow-scripts",
        kind: "list",
        value: "package",
        help: "Let the scripts of this package run; may be repeated",
      },
    ],
  },
  {
    name: "uninstall",
    usage: "<package>",
    summary: "Remove a plugin that was installed",
  },
  {
    name: "context",
    usage: "explain <path>",
    summary: "Show which AGENTS.md files apply to a path",
  },
];
