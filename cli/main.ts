import { VERSION } from "../core/version.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { isInteractive } from "./is_interactive.ts";
import type { CommandLine } from "./parse_command_line.ts";
import { runProgram } from "./program.ts";

/**
 * Runs the command line, whatever the command, with the permissions that the process has.
 *
 * @param argv Arguments after the program's name.
 * @returns The exit status.
 */
export async function main(argv: readonly string[]): Promise<number> {
  return await runProgram(argv, dispatch);
}

function isConversation({ command, args, flags, help, version }: CommandLine): boolean {
  return command === undefined && !help && !version && isInteractive({ args, flags });
}

async function dispatch(line: CommandLine, context: CommandContext): Promise<number> {
  if (line.version) {
    context.out(`${VERSION}\n`);
    return EXIT_STATUS.completed;
  }
  if (isConversation(line)) return await (await import("./talk.ts")).runTalk(context);
  if (line.help || line.command === undefined) {
    const { formatCommandHelp, formatHelp } = await import("./help.ts");
    const help = line.command === undefined ? formatHelp() : formatCommandHelp(line.command);
    if (line.help) context.out(help);
    else context.err(help);
    return line.help ? EXIT_STATUS.completed : EXIT_STATUS.usage;
  }
  switch (line.command.name) {
    case "run":
      return await (await import("./run.ts")).runRun(context);
    case "resume":
      return await (await import("./resume.ts")).runResume(context);
    case "connect":
      return await (await import("./connect.ts")).runConnect(context);
    case "setup":
      return await (await import("./setup.ts")).runSetup(context);
    case "doctor":
      return await (await import("./doctor.ts")).runDoctor(context);
    case "trust":
      return await (await import("./trust.ts")).runTrust(context);
    case "sessions":
      return await (await import("./sessions.ts")).runSessions(context);
    case "audit":
      return await (await import("./audit.ts")).runAudit(context);
    case "plugins":
      return await (await import("./plugins.ts")).runPlugins(context);
    case "mcp":
      return await (await import("./mcp.ts")).runMcp(context);
    case "skills":
      return await (await import("./skills.ts")).runSkills(context);
    case "agents":
      return await (await import("./agents.ts")).runAgents(context);
    case "install":
      return await (await import("./install.ts")).runInstall(context);
    case "uninstall":
      return await (await import("./uninstall.ts")).runUninstall(context);
    case "context":
      return await (await import("./context.ts")).runContext(context);
    default:
      throw new TypeError(`Command "${line.command.name}" is in the table but cannot run`);
  }
}
