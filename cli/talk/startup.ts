import type { Application } from "../../core/application.ts";
import type { StartupFacts } from "../../core/application_options.ts";
import { shortenPath, startupTips } from "../../core/startup/startup_sections.ts";
import { userHome } from "../../core/config/directories.ts";
import { visibleName } from "../../core/process/visible_text.ts";
import type { GlobalFlags } from "../flags.ts";
import type { Terminal } from "./terminal.ts";

type Environment = Readonly<Record<string, string>>;

/**
 * Whether a conversation opens with a startup screen: not where a build looks at it, nor where
 * somebody does not want it.
 *
 * @param place Where it would be shown, which is a terminal.
 */
export function showsStartupScreen(
  { env, flags }: {
    readonly env: Environment;
    readonly flags: Pick<GlobalFlags, "quiet" | "noBanner">;
  },
): boolean {
  const isBuild = !["", "0", "false"].includes((env.CI ?? "").toLowerCase());
  return !flags.quiet && !flags.noBanner && !isBuild;
}

/**
 * What the startup screen of a conversation is drawn from.
 *
 * @param application What the conversation is held with.
 * @param place Where it is shown, and the model of the session, if one is open.
 */
export function startupFacts(
  application: Pick<Application, "workspace" | "permissionMode">,
  { env, terminal, model }: {
    readonly env: Environment;
    readonly terminal: Pick<Terminal, "size" | "hasColour" | "hasSequences">;
    readonly model?: string;
  },
): StartupFacts {
  const home = userHome(env);
  const userName = env.USER ?? env.USERNAME ?? "";
  return {
    cwd: visibleName(
      shortenPath(application.workspace, home === undefined ? {} : { home }),
    ),
    terminal: {
      color: terminal.hasColour,
      unicode: terminal.hasSequences && !isAsciiLocale(env),
      columns: terminal.size().columns,
      interactive: true,
    },
    tips: startupTips(Math.floor(Date.now() / DAY_MS)),
    facts: [{ label: "Permission", value: application.permissionMode() }],
    ...(userName === "" ? {} : { userName: visibleName(userName) }),
    ...(model === undefined ? {} : { model }),
  };
}

/** Advice stays for a day. */
const DAY_MS = 86_400_000;

/** Whoever says nothing of their language has a terminal that knows more than ASCII. */
function isAsciiLocale({ LC_ALL, LC_CTYPE, LANG }: Environment): boolean {
  const locale = [LC_ALL, LC_CTYPE, LANG].find((each) => each !== undefined && each !== "");
  return locale === "C" || locale === "POSIX";
}
