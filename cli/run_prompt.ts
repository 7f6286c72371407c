import type { Application } from "../core/application.ts";
import type { ExpandedPrompt } from "../core/prompts/expand_prompt.ts";
import { visibleLines } from "../core/process/visible_text.ts";
import type { OpenSession } from "../core/run/open_session.ts";
import { RunCancelledError, RunFailedError } from "../core/run/run_error.ts";
import type { RunObserver } from "../core/run/run_events.ts";
import type { RunResult } from "../core/run/run_ports.ts";
import { untilAborted } from "../core/until_aborted.ts";
import { assertPromptFits } from "./assert_prompt_fits.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS, exitStatusOf } from "./exit_status.ts";
import { jsonLine } from "./json_line.ts";
import { openApplication } from "./open_application.ts";
import { readPrompt } from "./read_prompt.ts";
import { createJsonFrontEnd, createTextFrontEnd } from "./text_front_end.ts";

/**
 * Runs one prompt without a screen: opens the application and a session, shows the run, and closes
 * everything again. This is what `run` and `resume` share.
 *
 * @param context What the command was called with.
 * @param request The words of the prompt, and how its session is opened.
 * @returns The exit status.
 * @throws {AlisioError} If the run cannot start.
 */
export async function runPrompt(
  context: CommandContext,
  request: {
    readonly words: readonly string[];
    /** The command as a person writes it, without a prompt. */
    readonly command: string;
    readonly open: (application: Application) => Promise<OpenSession>;
  },
): Promise<number> {
  const { flags, output, signal } = context;
  const waitMs = await waitLimit(context);
  // The usual provider is read while the workspace is looked at; a run may yet use another.
  if (mayUseOpenAi(flags)) preloadProvider();
  const prompting = readPrompt({
    words: request.words,
    command: request.command,
    stdin: { isTerminal: Deno.stdin.isTerminal(), read: (into) => Deno.stdin.read(into) },
    // Also said under --quiet: it changes what the model is asked.
    onNotWaited: () => {
      context.err(
        "Standard input stayed silent and was left out; add - to the prompt to wait for it, or " +
          "give it no input with </dev/null\n",
      );
    },
  });
  // Opening goes on meanwhile, so a prompt that fails first must not be an unhandled rejection.
  prompting.catch(() => {});
  const application = await openApplication(context, waitMs === null ? {} : { taskEnds: "at_end" });
  try {
    const prompt = await untilAborted(prompting, signal);
    const { maxContextChars } = application.loaded.configuration.limits;
    assertPromptFits(prompt, maxContextChars);
    const answer = await application.runCommand(prompt, { signal });
    if (answer !== null) {
      context.out(
        flags.json
          ? jsonLine({ schemaVersion: 1, type: "command_result", data: { ...answer } })
          : `${visibleLines(answer.text)}\n`,
      );
      return EXIT_STATUS.completed;
    }
    await watchChildren(application);
    const expanded = await application.expandPrompt(prompt);
    if (expanded !== null) assertPromptFits(expanded.text, maxContextChars);
    const session = await request.open(application);
    try {
      const status = await show(context, session, expanded ?? { text: prompt, display: prompt });
      // What failed, was refused or stopped is no end of the work.
      if (status === EXIT_STATUS.completed) await application.endScript(session, signal);
      return status;
    } finally {
      await endAgents(application, session.id);
      await session.close();
    }
  } finally {
    await endTasks(application);
    await application.close();
  }

  /** To the end of the application, which may stop some that still work. */
  async function watchChildren(application: Application): Promise<void> {
    if (application.children === undefined) return;
    const { watchChildren } = await import("./watch_children.ts");
    watchChildren(application, output, flags);
  }

  async function endAgents(application: Application, sessionId: string): Promise<void> {
    if (!application.hasBackgroundWork) return;
    const { stopLeftoverAgents } = await import("./leftover_tasks.ts");
    stopLeftoverAgents(application, sessionId, (text) => context.err(text));
  }

  /** Also said under --quiet: what was asked for did not come to its end. */
  async function endTasks(application: Application): Promise<void> {
    if (!application.hasTasks) return;
    const { stopLeftoverTasks } = await import("./leftover_tasks.ts");
    await stopLeftoverTasks(application, (text) => context.err(text));
  }

  async function show(
    { flags: { json, quiet } }: CommandContext,
    session: OpenSession,
    { text, display }: ExpandedPrompt,
  ): Promise<number> {
    const observer = json ? createJsonFrontEnd(output) : createTextFrontEnd(output, { quiet });
    try {
      const result = await session.run(text, {
        signal,
        display,
        observers: [observer],
        drained: () => output.drained(),
      });
      const told = result.status === "completed" ? await tellOfTasks(session, observer) : null;
      if (told !== null) return told.status === "completed" ? statusOf(result, told) : stopped();
      if (result.status === "completed") return statusOf(result);
      return stopped();
    } catch (error) {
      if (!(error instanceof RunFailedError) && !(error instanceof RunCancelledError)) throw error;
      context.err(`alisio: ${visibleLines(error.message)}\n`);
      if (!flags.quiet && error.isResumable) {
        context.err(`The session is kept: alisio resume ${session.id} "…"\n`);
      }
      return exitStatusOf(error);
    }

    function stopped(): number {
      if (!flags.quiet) {
        context.err(
          `Stopped at the turn limit; go on with: alisio resume ${session.id} "continue"\n`,
        );
      }
      return EXIT_STATUS.turnsExceeded;
    }
  }

  /** One further run, in which the model hears which of its tasks ended while they were awaited. */
  async function tellOfTasks(
    session: OpenSession,
    observer: RunObserver,
  ): Promise<RunResult | null> {
    if (waitMs === null || !application.hasBackgroundWork) return null;
    const { waitForTasks } = await import("./leftover_tasks.ts");
    const notice = await waitForTasks(application, session.id, { limitMs: waitMs, signal });
    if (notice === null) return null;
    return await session.run(notice.prompt, {
      signal,
      display: notice.display,
      observers: [observer],
      drained: () => output.drained(),
    });
  }
}

/**
 * Reads the flag `--wait-tasks`; only where it is given is the code for that loaded.
 *
 * @param context What the command was called with.
 * @returns Milliseconds; null without the flag.
 * @throws {AlisioError} `usage` if it is no duration.
 */
export async function waitLimit({ commandFlags }: CommandContext): Promise<number | null> {
  const value = commandFlags["wait-tasks"];
  if (value === undefined) return null;
  return (await import("./leftover_tasks.ts")).parseWaitTasks(value);
}

/**
 * The status of a run that came to its end. Nobody was there to answer, so every refusal was one of
 * permission, and a script must not take the work for done.
 */
function statusOf(...results: readonly RunResult[]): number {
  return results.some(({ refusedCalls }) => refusedCalls > 0)
    ? EXIT_STATUS.callRefused
    : EXIT_STATUS.completed;
}

function mayUseOpenAi({ model, disablePlugin }: CommandContext["flags"]): boolean {
  return model?.startsWith("scripted/") !== true && !disablePlugin.includes("openai-compatible");
}

function preloadProvider(): void {
  import("../plugins/openai_compatible/mod.ts").catch(() => {
    // Loading it for use says what is wrong.
  });
}
