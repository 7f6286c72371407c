import { stateHome, userHome } from "../core/config/directories.ts";
import { AlisioError } from "../core/errors.ts";
import { visibleLines, visibleName } from "../core/process/visible_text.ts";
import { inspectProject, type ProjectInspection } from "../core/trust/inspect_project.ts";
import { projectTrust } from "../core/trust/project_trust.ts";
import { readTrustStore } from "../core/trust/trust_store.ts";
import { resolveWorkspace } from "../core/workspace.ts";
import type { CommandContext } from "./command_context.ts";
import { answerAtTerminal } from "./confirm.ts";
import { describeProject, rememberTrust } from "./trust.ts";

/**
 * Asks once whether a project is trusted, where something in it needs that and nobody has decided,
 * or it has changed since. The answer is remembered, a refusal too; no answer leaves it untrusted.
 *
 * Called before the project's configuration is read, in a process that has loaded no plugin.
 *
 * @param context What the command was called with.
 * @throws {AlisioError} If the workspace is not usable, or the decision cannot be remembered.
 */
export async function askTrust(
  context: Pick<CommandContext, "cwd" | "env" | "err" | "flags" | "signal">,
): Promise<void> {
  const { flags, env, err } = context;
  if (flags.trustProject || flags.config !== undefined || flags.readOnly) return;
  const workspace = resolveWorkspace(context.cwd);
  const home = stateHome(env);
  const { state, resources } = await projectTrust({
    workspace,
    stateHome: home,
    trustProjectFlag: false,
  });
  if (resources.length === 0 || state === "trusted" || state === "refused") return;
  const store = await readTrustStore(home);
  // Nothing could be remembered; the run says so.
  if (store.status === "unusable") return;
  const inspection = await inspect(context, workspace);
  if (inspection === null) return;
  const before = Object.hasOwn(store.decisions, workspace) ? store.decisions[workspace] : undefined;
  for (const line of describeProject(inspection, before)) err(`${visibleName(line)}\n`);
  err(
    "A trusted project decides where your requests and keys are sent, instructs the model, and may " +
      "load code.\n",
  );
  const answer = await answerAtTerminal(context, "Trust it?");
  if (answer === null) return err("\nNot trusted; it is asked again next time\n");
  await rememberTrust(context, inspection, answer ? "trusted" : "refused");
  if (!answer) err('Not trusted, and not asked again; "alisio trust add" changes that\n');
}

/** What there is to decide on; null, said, where nobody can decide on it. */
async function inspect(
  { env, err }: Pick<CommandContext, "env" | "err">,
  workspace: string,
): Promise<ProjectInspection | null> {
  try {
    return await inspectProject(workspace, userHome(env));
  } catch (error) {
    if (!(error instanceof AlisioError)) throw error;
    err(`Not trusted: ${visibleLines(error.message)}\n`);
    return null;
  }
}
