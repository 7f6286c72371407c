/**
 * The agent process: the part of the command line that runs behind the second wall. Everything
 * that it may load is named in plain text here and below, because behind the wall no other code
 * can be read.
 *
 * @module
 */
// What nearly every run uses is read together with the rest, rather than when it is first needed.
import "../plugins/openai_compatible/mod.ts";
import "../plugins/openai_compatible/read_turn.ts";
import { AlisioError } from "../core/errors.ts";
import { followLauncher } from "../core/wall/launcher_link.ts";
import type { CommandContext } from "./command_context.ts";
import type { CommandLine } from "./parse_command_line.ts";
import { runProgram } from "./program.ts";
import { runRun } from "./run.ts";

if (import.meta.main) {
  followLauncher();
  Deno.exit(await runProgram(Deno.args, dispatch));
}

async function dispatch(line: CommandLine, context: CommandContext): Promise<number> {
  switch (line.command?.name) {
    case undefined:
      return await (await import("./talk.ts")).runTalk(context);
    case "run":
      return await runRun(context);
    case "resume":
      return await (await import("./resume.ts")).runResume(context);
    case "sessions":
      return await (await import("./sessions_compact.ts")).compactSession(context);
    case "mcp":
      return await (await import("./mcp.ts")).runMcp(context);
    case "plugins":
      return await (await import("./plugins.ts")).runPlugins(context);
    default:
      throw new AlisioError("usage", "This part of the program is started by alisio itself");
  }
}
