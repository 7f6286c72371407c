import type { Application } from "../../core/application.ts";
import type { CompactionOutcome } from "../../core/compaction/compactor.ts";
import { nearestName } from "../../core/config/nearest_name.ts";
import { quoted } from "../../core/config/quoted.ts";
import { AlisioError } from "../../core/errors.ts";
import { PERMISSION_MODES, type PermissionModeLabel } from "../../core/gate/permission_mode.ts";
import type { Verdict } from "../../core/gate/policy.ts";
import type { PluginCommand } from "../../core/plugins/plugin_api.ts";
import { visibleName } from "../../core/process/visible_text.ts";
import type { ToolStatus } from "../../core/gate/gate.ts";

/** What line commands act on. */
export interface CommandTarget {
  /** What runs without a question, and where programs run. */
  readonly permissions: Pick<
    Application,
    "permissionMode" | "setPermissionMode" | "sandboxBackend"
  >;
  /**
   * Asks the person to confirm something.
   *
   * @param question What it asks, without the answers.
   */
  readonly confirm: (question: string) => Promise<boolean>;
  /** Every tool with the decision about it. */
  readonly tools: () => readonly ToolStatus[];
  /** Commands of plugins. */
  readonly pluginCommands: () => readonly Pick<
    PluginCommand,
    "name" | "description" | "argumentHint"
  >[];
  /**
   * Makes the conversation shorter; null where no session is open yet, and `stopped` where it did
   * not come to its end, which the person has been told.
   *
   * @param focus What the person wants to be kept in view; may be empty.
   */
  readonly compact: (focus: string) => Promise<CompactionOutcome | "stopped" | null>;
  /** Leaves the session, so that the next prompt begins a new one. Answers whether one was open. */
  readonly leaveSession: () => Promise<boolean>;
  /**
   * Asks the model beside the conversation; null where no session is open yet, or nothing was asked
   * so far, and `stopped` where it did not come to its end, which the person has been told.
   *
   * @param question The question; an empty one means the newest answer.
   */
  readonly askAside: (question: string) => Promise<string | "stopped" | null>;
  /**
   * Shows the plans of the session.
   *
   * @param words Which of them, and what.
   */
  readonly showPlans: (words: readonly string[]) => Promise<void>;
  /**
   * Shows the background tasks of the session, or stops one.
   *
   * @param words Which of them, and what.
   */
  readonly showTasks: (words: readonly string[]) => Promise<void>;
  /**
   * Shows or changes the goal of the session, and works toward it.
   *
   * @param argument What follows the command.
   */
  readonly runGoal: (argument: string) => Promise<void>;
  /**
   * Looks after the tasks of agents.
   *
   * @param argument What follows the command.
   */
  readonly runAgents: (argument: string) => Promise<void>;
  /** The MCP servers and what they are doing, in lines. */
  readonly mcpServers: () => Promise<string>;
  /** Tells the person something, on lines of its own. */
  readonly say: (text: string) => void;
}

const MODES = Object.keys(PERMISSION_MODES);

/** What a line command leads to. */
export type CommandOutcome = "go on" | "leave";

/** A command that is typed in place of a prompt. */
export interface LineCommand {
  /** With its slash. */
  readonly name: string;
  /** What follows it, for help. */
  readonly usage: string;
  /** One line of help. */
  readonly summary: string;
  /** Runs it. */
  readonly run: (target: CommandTarget, words: readonly string[]) => Promise<CommandOutcome>;
}

/** Every command, in the order of help. */
export const LINE_COMMANDS: readonly LineCommand[] = [
  {
    name: "/help",
    usage: "",
    summary: "Show this list",
    run: ({ say, pluginCommands }) => done(say(formatHelp(pluginCommands()))),
  },
  {
    name: "/tools",
    usage: "",
    summary: "Show each tool, whether it runs, asks or is refused, and why",
    run: ({ tools, say }) => done(say(tools().map(formatTool).join("\n"))),
  },
  {
    name: "/permission",
    usage: `[${MODES.join("|")}]`,
    summary: "Show or choose what runs without a question",
    run: choosePermission,
  },
  {
    name: "/compact",
    usage: "[focus]",
    summary: "Summarise the older part of the conversation to make room",
    run: compact,
  },
  {
    name: "/btw",
    usage: "[question]",
    summary: "Ask something beside the conversation, which does not learn of it",
    run: askAside,
  },
  {
    name: "/plan",
    usage: "[number|diff]",
    summary: "Show the plans of this session, one of them, or what a revision changed",
    run: async ({ showPlans }, words) => await done(await showPlans(words)),
  },
  {
    name: "/goal",
    usage: "[objective|resume|edit|budget=|clear|help]",
    summary: "Have the model work toward a goal, turn after turn, until it stops or Ctrl+C",
    run: async ({ runGoal }, words) => await done(await runGoal(words.join(" "))),
  },
  {
    name: "/tasks",
    usage: "[number|stop <number>]",
    summary: "Show the background tasks of this session, one with its output, or stop it",
    run: async ({ showTasks }, words) => await done(await showTasks(words)),
  },
  {
    name: "/agents",
    usage: "[list|open|cancel|kill|resume|merge|discard|reload|defs]",
    summary: "Show the tasks of agents in this session, look at one, cancel it or let it go on",
    run: async ({ runAgents }, words) => await done(await runAgents(words.join(" "))),
  },
  {
    name: "/mcps",
    usage: "",
    summary: "Show the MCP servers and what they are doing; --allow-mcp connects them",
    run: async ({ mcpServers, say }) => await done(say(await mcpServers())),
  },
  {
    name: "/new",
    usage: "",
    summary: "Begin a new session with the next prompt; the one before is kept",
    run: beginAnew,
  },
  {
    name: "/exit",
    usage: "",
    summary: "Leave; the session is kept",
    run: () => Promise.resolve("leave"),
  },
];

/** What does the same from a shell. */
const IN_SHELL: Readonly<Record<string, string>> = {
  connect: 'write "alisio connect" in a shell',
  model: 'choose one with "--model"',
  rewind: 'write "alisio sessions rewind" in a shell',
  fork: 'write "alisio sessions fork" in a shell',
  sessions: 'write "alisio sessions list" in a shell',
  resume: 'write "alisio resume <session> --no-tui" in a shell',
};

/** Names of the commands, without their slash. */
export const LINE_COMMAND_NAMES: readonly string[] = LINE_COMMANDS.map(({ name }) => name.slice(1));

/**
 * Whether a line is a command and no prompt: it begins with a slash and one word, so that a prompt
 * may begin with a path. Commands of plugins count as prompts here.
 *
 * @param line What was typed.
 */
export function isCommand(line: string): boolean {
  return /^\/(?!command\s+\S)[\w-]*(?:\s|$)/.test(line);
}

/**
 * Runs the command of a line.
 *
 * @param line What was typed.
 * @param target What it acts on.
 */
export async function runCommand(line: string, target: CommandTarget): Promise<CommandOutcome> {
  const [name = "", ...words] = line.trim().split(/\s+/);
  const command = LINE_COMMANDS.find((candidate) => candidate.name === name);
  if (command !== undefined) return await command.run(target, words);
  const { BUILTIN_COMMANDS } = await import("../../tui/commands/builtin_commands.ts");
  const elsewhere = BUILTIN_COMMANDS.find((each) =>
    [each.name, ...each.aliases ?? []].some((known) => `/${known}` === name)
  );
  if (elsewhere !== undefined) {
    const shell = IN_SHELL[elsewhere.name];
    const instead = shell === undefined ? "" : `, or ${shell}`;
    const advice = `start alisio without --no-tui for it${instead}`;
    return await done(target.say(`${quoted(name)} is a command of the whole screen: ${advice}`));
  }
  const nearest = nearestName(name, LINE_COMMANDS.map((candidate) => candidate.name));
  const advice = nearest === undefined ? "see /help" : `did you mean ${nearest}?`;
  return await done(target.say(`Unknown command ${quoted(name)}: ${advice}`));
}

async function choosePermission(
  { permissions, confirm, say }: CommandTarget,
  [mode]: readonly string[],
): Promise<CommandOutcome> {
  if (mode === undefined) return await done(say(formatMode(permissions.permissionMode())));
  const known = (["ask", "auto", "full"] as const).find((name) => name === mode);
  if (known === undefined) {
    return await done(say(`Unknown mode ${quoted(mode)}: choose ${MODES.join(", ")}`));
  }
  // Where it cannot be chosen, nobody need confirm it.
  const isOpen = permissions.permissionMode() !== "read-only";
  if (known === "full" && isOpen && !await confirm(fullQuestion(permissions.sandboxBackend()))) {
    return await done(say(`Nothing changed: ${formatMode(permissions.permissionMode())}`));
  }
  try {
    permissions.setPermissionMode(known);
  } catch (error) {
    if (!(error instanceof AlisioError)) throw error;
    return await done(say(error.message));
  }
  return await done(say(`${formatMode(known)}\nGrants for the session are forgotten`));
}

async function compact(
  { compact, say }: CommandTarget,
  words: readonly string[],
): Promise<CommandOutcome> {
  const outcome = await compact(words.join(" "));
  if (outcome === null) return await done(say("There is nothing to summarise yet"));
  if (outcome === "stopped") return "go on";
  const { describeOutcome } = await import("../../core/compaction/describe_outcome.ts");
  return await done(say(describeOutcome(outcome)));
}

async function askAside(
  { askAside, say }: CommandTarget,
  words: readonly string[],
): Promise<CommandOutcome> {
  const answer = await askAside(words.join(" "));
  if (answer === "stopped") return "go on";
  if (answer !== null) return await done(say(answer));
  return await done(
    say(
      words.length === 0
        ? "Usage: /btw <question>"
        : "There is no conversation yet; a side question is about one",
    ),
  );
}

async function beginAnew({ leaveSession, say }: CommandTarget): Promise<CommandOutcome> {
  const wasOpen = await leaveSession();
  return await done(
    say(wasOpen ? "A new session begins with your next prompt" : "The session is new already"),
  );
}

function fullQuestion(sandbox: string | null): string {
  const reach = sandbox === null
    ? "This is not a sandbox: whatever runs has your own permissions."
    : `Programs stay in the sandbox ${quoted(sandbox)}; tools of plugins are not in it.`;
  return `Writes, commands and the network will run unasked. ${reach} Directories outside the ` +
    "workspace and protected files are still asked about. Choose full?";
}

const MODE_WORDS: Readonly<Record<Verdict, string>> = { allow: "on", ask: "ask", deny: "off" };

function formatMode(label: PermissionModeLabel): string {
  if (label === "custom") return "Permission mode custom, as the flags have it; see /tools";
  if (label === "read-only") {
    return "Permission mode read-only: writes, programs and network are off";
  }
  const verdicts = Object.entries(PERMISSION_MODES[label]);
  return `Permission mode ${label}: ${
    verdicts.map(([effect, verdict]) => `${effect} ${MODE_WORDS[verdict]}`).join(", ")
  }`;
}

function done(_said: void): Promise<CommandOutcome> {
  return Promise.resolve("go on");
}

function formatHelp(pluginCommands: ReturnType<CommandTarget["pluginCommands"]>): string {
  const rows = [
    ...LINE_COMMANDS,
    ...pluginCommands.filter(({ name }) => !LINE_COMMAND_NAMES.includes(name)).map((
      { name, argumentHint = "", description = "" },
    ) => ({
      name: `/${visibleName(name)}`,
      usage: visibleName(argumentHint),
      summary: visibleName(description),
    })),
  ].map(({ name, usage, summary }) => [`${name} ${usage}`.trimEnd(), summary] as const);
  const width = Math.max(...rows.map(([left]) => left.length));
  return [
    "Write what you want done; Enter sends it.",
    ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd()),
    "Ctrl+C stops what runs and, twice at an empty line, leaves; so does Ctrl+D.",
  ].join("\n");
}

const VERDICTS = { allow: "runs", ask: "asks", deny: "refused" } as const;

function formatTool({ tool, decision }: ToolStatus): string {
  const remedy = decision.remedy === undefined || decision.decision === "allow"
    ? ""
    : `\n${" ".repeat(27)}unasked: ${decision.remedy}`;
  return `${tool.name.padEnd(18)} ${VERDICTS[decision.decision].padEnd(7)} ` +
    `${tool.effect}: ${decision.reason} (${decision.matched})${remedy}`;
}
