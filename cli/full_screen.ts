import type { Application } from "../core/application.ts";
import { approvalView } from "../core/gate/approval/approval_view.ts";
import { VERSION } from "../core/version.ts";
import { FirstScreen } from "../tui/first/first_screen.ts";
import { openInterface } from "../tui/mod.ts";
import type { InterfacePorts } from "../tui/interface_ports.ts";
import { assertPromptFits } from "./assert_prompt_fits.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import type { PreviewPlace } from "./talk/call_preview.ts";
import { showsStartupScreen, startupFacts } from "./talk/startup.ts";
import type { Terminal } from "./talk/terminal.ts";

/**
 * Holds a conversation on the whole screen.
 *
 * @param context What the command was called with.
 * @param options What it is held with.
 * @returns The exit status.
 * @throws {AlisioError} If the application or the session cannot be opened.
 */
export async function holdFullScreen(
  context: CommandContext,
  options: FullScreenOptions,
): Promise<number> {
  await openInterface(interfacePorts(context, options));
  return EXIT_STATUS.completed;
}

/** What a conversation on the whole screen is held with. */
export interface FullScreenOptions {
  /** What is known of the terminal. */
  readonly terminal: Terminal;
  /** The screen, where its first frame is drawn already. */
  readonly first?: FirstScreen;
  /** The session to go on with; a new one begins with the first prompt otherwise. */
  readonly session?: string;
}

function interfacePorts(
  context: CommandContext,
  { terminal, session, first = openFirstScreen(context.env) }: FullScreenOptions,
): InterfacePorts {
  const { env, cwd, flags, signal } = context;
  return {
    env,
    cwd,
    signal,
    first,
    quiet: flags.quiet,
    lendTerminal: (use) => context.lendTerminal(use),
    ...(session === undefined ? {} : { session }),
    open: async ({ onNotice, ...person }, { model, signal: stop = signal } = {}) =>
      await (await import("./open_application.ts")).openApplication({
        ...context,
        flags: { ...flags, ...(model === undefined ? {} : { model }) },
        signal: stop,
        err: (text) => onNotice(text.trimEnd()),
      }, { ...person, taskEnds: "woken" }),
    view: async (question, application) => {
      const { previewCall } = await import("./talk/call_preview.ts");
      return approvalView(question, await previewCall(question, placeOf(application, env)));
    },
    compareTexts: async (before, after) =>
      await (await import("./compare_texts.ts")).compareTexts(before, after),
    greet: async (application, { columns, model }) => [
      // Whoever goes on with a session wants to see where it was.
      ...session === undefined && showsStartupScreen({ env, flags })
        ? await application.startupScreen(startupFacts(application, {
          env,
          terminal: { ...terminal, size: () => ({ columns, rows: terminal.size().rows }) },
          ...(model === undefined ? {} : { model }),
        }))
        : [],
      ...flags.quiet ? [] : await upgradeLines(application),
    ],
    assertFits: (prompt, application) =>
      assertPromptFits(prompt, application.loaded.configuration.limits.maxContextChars),
  };
}

/** What changed since this person was here last. */
async function upgradeLines({ store }: Application): Promise<readonly string[]> {
  const { upgradeNotice } = await import("../core/changelog/upgrade_notice.ts");
  const notice = await upgradeNotice(store.stateRoot, VERSION);
  return notice === null ? [] : [notice];
}

function openFirstScreen(env: CommandContext["env"]): FirstScreen {
  const first = new FirstScreen(env);
  first.open();
  return first;
}

function placeOf(application: Application, env: CommandContext["env"]): PreviewPlace {
  const { workspace, roots } = application;
  return { workspace, roots, env, sandbox: application.sandboxBackend() };
}
