import { join } from "../core/paths/path.ts";
import { type Ceiling, type CeilingFacts, computeCeiling } from "../core/wall/ceiling.ts";
import { currentWall, revokeBeyond } from "../core/wall/current_wall.ts";
import { keepDescriptors } from "../core/wall/inherited_descriptors.ts";
import { launch, wasLaunched } from "../core/wall/launch.ts";
import { runtimeCache, warmUp, warmUpNoteName } from "../core/wall/warm_up.ts";
import { VERSION } from "../core/version.ts";
import { AlisioError } from "../core/errors.ts";
import { isInteractive } from "./is_interactive.ts";
import { type CommandLine, parseCommandLine } from "./parse_command_line.ts";
import { gatherWallFacts, type WallRequest } from "./wall_facts.ts";

/** Modules that the agent loads, beside its entry, when something needs them. */
export const AGENT_MODULES: readonly string[] = [
  "cli/leftover_tasks.ts",
  "cli/mcp.ts",
  "cli/open_application.ts",
  "cli/parse_agents_flag.ts",
  "cli/plugins.ts",
  "cli/program.ts",
  "cli/resume.ts",
  "cli/run_goal.ts",
  "cli/sessions_compact.ts",
  "cli/compare_texts.ts",
  "cli/full_screen.ts",
  "cli/main.ts",
  "cli/talk.ts",
  "cli/watch_children.ts",
  "cli/talk/call_preview.ts",
  "cli/talk/conversation.ts",
  "cli/talk/goal_command.ts",
  "cli/talk/plan_command.ts",
  "cli/talk/plan_dialogue.ts",
  "cli/talk/task_command.ts",
  "core/changelog/entries.ts",
  "core/changelog/find_entries.ts",
  "core/changelog/upgrade_notice.ts",
  "core/compaction/compact_at_wish.ts",
  "core/compaction/describe_lack.ts",
  "core/compaction/room_maker.ts",
  "core/agents/agent_drafts.ts",
  "core/agents/agent_policies.ts",
  "core/agents/agent_store.ts",
  "core/agents/discover_agents.ts",
  "core/agents/main_agents.ts",
  "core/children/child_sessions.ts",
  "core/config/config_error.ts",
  "core/context/instruction_text.ts",
  "core/context/nested_instructions.ts",
  "core/context/read_instruction_file.ts",
  "core/files/temp_file.ts",
  "core/goals/session_goals.ts",
  "core/gate/active_agent.ts",
  "core/gate/approval/approval_desk.ts",
  "core/gate/approval/unusual_programs.ts",
  "core/gate/nested_calls.ts",
  "core/gate/profile/bind_profile.ts",
  "core/mcp/application_mcp.ts",
  "core/mcp/save_blob.ts",
  "core/mcp/switch_server.ts",
  "core/plugins/checked_connection.ts",
  "core/plan/application_plans.ts",
  "core/plan/plan_markdown.ts",
  "core/plugins/compaction_hooks.ts",
  "core/plugins/complete_text.ts",
  "core/plugins/install/check_installed.ts",
  "core/plugins/load_plugins.ts",
  "core/plugins/plugin_catalog.ts",
  "core/plugins/plugin_models.ts",
  "core/plugins/plugin_sources.ts",
  "core/plugins/run_plugin_command.ts",
  "core/plugins/session_hooks.ts",
  "core/provider/auth/create_signed_in.ts",
  "core/prompts/discover_templates.ts",
  "core/prompts/expand_prompt.ts",
  "core/prompts/prompt_folders.ts",
  "core/prompts/requirement_problem.ts",
  "core/provider/connect_desk.ts",
  "core/provider/credentials.ts",
  "core/provider/choose_effort.ts",
  "core/provider/missing_provider.ts",
  "core/rewind/file_changes.ts",
  "core/run/attachments.ts",
  "core/run/cost_meter.ts",
  "core/run/tool_receipts.ts",
  "core/sandbox/bubblewrap_sandbox.ts",
  "core/sandbox/landlock_entry.ts",
  "core/sandbox/landlock_sandbox.ts",
  "core/sandbox/open_run_sandbox.ts",
  "core/sandbox/seatbelt_sandbox.ts",
  "core/sandbox/temp_folder.ts",
  "core/session/resolve_session.ts",
  "core/side_questions/side_questions.ts",
  "core/skills/skill_catalog.ts",
  "core/skills/skills_text.ts",
  "core/skills/switch_skill.ts",
  "core/startup/render_startup.ts",
  "core/tasks/background_tasks.ts",
  "core/tasks/task_notices.ts",
  "core/tools/describe_problems.ts",
  "core/trust/change_project_config.ts",
  "plugins/herdr/mod.ts",
  "plugins/memory/memory.ts",
  "plugins/memory/mod.ts",
  "plugins/memory/parse_observations.ts",
  "core/wall/runtime_flags.ts",
  "plugins/openai_compatible/classify_server_error.ts",
  "plugins/openai_compatible/failures.ts",
  "plugins/openai_compatible/mod.ts",
  "plugins/openai_compatible/read_catalog.ts",
  "plugins/openai_compatible/read_turn.ts",
  "plugins/openai_compatible/responses_request.ts",
  "plugins/openai_compatible/responses_turn_reader.ts",
  "plugins/scripted/mod.ts",
  "plugins/subagents/agent_catalog.ts",
  "plugins/subagents/agents_command.ts",
  "plugins/subagents/delegation.ts",
  "plugins/subagents/mod.ts",
  "tools/_html_parser.ts",
  "tools/ask_user_question.ts",
  "tools/bg_list.ts",
  "tools/bg_output.ts",
  "tools/bg_run.ts",
  "tools/bg_stop.ts",
  "tools/context_explain.ts",
  "tools/edit_file.ts",
  "tools/execute/execute.ts",
  "tools/exit_plan.ts",
  "tools/git_diff.ts",
  "tools/git_status.ts",
  "tools/goal_tools.ts",
  "tools/list_files.ts",
  "tools/mcp/connect_mcp_server.ts",
  "tools/mcp/mcp_parts.ts",
  "tools/plugin_install.ts",
  "tools/read_file.ts",
  "tools/run_process.ts",
  "tools/schema_validator.ts",
  "tools/search_text.ts",
  "tools/shell.ts",
  "tools/skill_tools.ts",
  "tools/unified_diff.ts",
  "tools/web/convert_html.ts",
  "tools/web/convert_worker.ts",
  "tools/web/plain_text.ts",
  "tools/web/webfetch.ts",
  "tools/write_file.ts",
  "tools/yaml_editor.ts",
  "tools/yaml_parser.ts",
  "tui/agents/agent_menu.ts",
  "tui/agents/agent_verbs.ts",
  "tui/agents/create_agent.ts",
  "tui/agents/effort_menu.ts",
  "tui/agents/manage_agents.ts",
  "tui/clipboard/copy_text.ts",
  "tui/clipboard/read_image.ts",
  "tui/commands/builtin_commands.ts",
  "tui/commands/command_table.ts",
  "tui/commands/help_sections.ts",
  "tui/commands/permission_menu.ts",
  "tui/commands/plugin_catalog.ts",
  "tui/commands/prompt_commands.ts",
  "tui/commands/reload.ts",
  "tui/commands/rewind_flow.ts",
  "tui/commands/show_sections.ts",
  "tui/commands/side_question_panel.ts",
  "tui/commands/stats_sections.ts",
  "tui/commands/tool_sections.ts",
  "tui/commands/waiting_panel.ts",
  "tui/editor/external_editor.ts",
  "tui/goals/goal_actions.ts",
  "tui/panels/show_panels.ts",
  "tui/plan/show_plans.ts",
  "tui/settings/settings_panel.ts",
  "tui/skills/skill_catalog.ts",
  "tui/tasks/task_panel.ts",
  "tui/connect/assert_may_connect.ts",
  "tui/connect/choose_model.ts",
  "tui/connect/connect_provider.ts",
  "tui/connect/offer_provider.ts",
];

const WALL_IS_OFF =
  "the second wall is off (--no-second-wall): nothing but Alisio itself limits this run";

/** How the launcher runs a command that it does not limit. */
export type RunHere = () => Promise<number>;

/**
 * Starts a run behind the second wall: works out the most that it could be allowed, and becomes
 * the agent under exactly those permissions. Any other command runs here and now.
 *
 * @param argv Arguments after the program's name.
 * @param runHere Runs the command in this process.
 * @returns The exit status.
 */
export async function launchRun(argv: readonly string[], runHere: RunHere): Promise<number> {
  const line = limitedLine(argv);
  if (line === null || currentWall() !== "none") return await runHere();
  keepDescriptors();
  if (opensConversation(line) && !wasLaunched()) {
    const stopped = await askTrust(line, argv);
    if (stopped !== null) return stopped;
  }
  if (line.flags.noSecondWall) {
    await say(`Warning: ${WALL_IS_OFF}`);
    if (line.flags.json) sayToProgram("second_wall_off", WALL_IS_OFF);
    return await runHere();
  }
  try {
    return await launchLimited(line, argv, runHere);
  } catch (error) {
    return await runFailure(argv, error);
  }
}

/** What a run is started under. */
export interface LaunchPlan {
  /** What its ceiling is worked out from. */
  readonly facts: CeilingFacts;
  /** The most that it could be allowed. */
  readonly ceiling: Ceiling;
  /** Address of the agent's main module. */
  readonly main: string;
  /** Path of the runtime's configuration file that belongs to the program, in a checkout. */
  readonly config?: string;
}

/**
 * Works out what a run would be started under, for the launcher and for whoever shows it.
 *
 * @param request The run.
 * @throws {AlisioError} If the workspace or the configuration is not usable, or the runtime would
 * ignore its flags.
 */
export async function planLaunch(request: WallRequest): Promise<LaunchPlan> {
  refuseBroker(request.env);
  const facts = await gatherWallFacts(request);
  return {
    facts,
    ceiling: computeCeiling(facts),
    main: new URL(mainOf(request), import.meta.url).href,
    ...(import.meta.dirname === undefined
      ? {}
      : { config: join(import.meta.dirname, "..", "deno.json") }),
  };
}

/** A conversation draws its first frame before it loads the rest. */
function mainOf({ canAsk = false, flags }: WallRequest): string {
  return canAsk && !flags.noTui ? "./screen_entry.ts" : "./agent.ts";
}

/** With it the runtime asks another program about each permission, and its flags say nothing. */
const BROKER_VARIABLE = "DENO_PERMISSION_BROKER_PATH";

function refuseBroker(env: WallRequest["env"]): void {
  if ((env[BROKER_VARIABLE] ?? "") === "") return;
  throw new AlisioError(
    "usage",
    `Cannot limit this run: ${BROKER_VARIABLE} is set, which makes the runtime ignore its flags; ` +
      "unset it, or run again with --no-second-wall",
  );
}

/** The command line, if it is one of a run; what is wrong with it is said where it runs. */
function limitedLine(argv: readonly string[]): CommandLine | null {
  try {
    const line = parseCommandLine(argv);
    const name = line.command?.name;
    const isRun = name === "run" || name === "resume" || opensConversation(line) ||
      ((name === "plugins" || name === "mcp") && line.args[0] === "doctor") ||
      compactsSession(line);
    return isRun && !line.help && !line.version ? line : null;
  } catch (error) {
    if (error instanceof AlisioError) return null;
    throw error;
  }
}

/** It asks the model of the session, like a run. */
function compactsSession({ command, args }: CommandLine): boolean {
  return command?.name === "sessions" && args[0] === "compact";
}

function opensConversation({ command, args, flags }: CommandLine): boolean {
  return isInteractive({ ...command === undefined ? {} : { command: command.name }, args, flags });
}

/** Decides on the project before anything of it is read. Answers the exit status of a failure. */
async function askTrust(
  { flags }: CommandLine,
  argv: readonly string[],
): Promise<number | null> {
  try {
    const module = await load<typeof import("./ask_trust.ts")>("./ask_trust.ts");
    await module.askTrust({
      flags,
      cwd: flags.cwd ?? Deno.cwd(),
      env: Deno.env.toObject(),
      err: (text) => void Deno.stderr.writeSync(new TextEncoder().encode(text)),
      // Ctrl+C ends this process as it ends any other.
      signal: new AbortController().signal,
    });
    return null;
  } catch (error) {
    return await runFailure(argv, error);
  }
}

/** Says what failed as every command does. */
async function runFailure(argv: readonly string[], error: unknown): Promise<number> {
  const { runProgram } = await load<typeof import("./program.ts")>("./program.ts");
  return await runProgram(argv, () => Promise.reject(error));
}

async function launchLimited(
  line: CommandLine,
  argv: readonly string[],
  runHere: RunHere,
): Promise<number> {
  const { flags } = line;
  const env = Deno.env.toObject();
  const cwd = flags.cwd ?? Deno.cwd();
  const words = compactsSession(line) ? line.args.slice(1) : line.args;
  const [session] = line.command?.name === "resume" || compactsSession(line) ? words : [];
  const { facts, ...plan } = await planLaunch({
    flags,
    cwd,
    env,
    canAsk: opensConversation(line),
    ...(session === undefined ? {} : { session }),
  });
  const { ceiling, main } = plan;
  await closeCredentials(facts.configHome, flags.quiet === true);
  if (flags.db !== undefined) await prepareDatabase(facts.database ?? "");
  if (!("off" in ceiling.kernel)) await prepareCache(facts);
  if (Deno.build.standalone) {
    const takesRules = Deno.build.os === "linux" && !("off" in ceiling.kernel) && !wasLaunched();
    if (takesRules) return await launch({ ceiling, main, args: argv, stateHome: facts.stateHome });
    revokeBeyond(ceiling);
    return await runHere();
  }
  const warmed = await warmUp({
    main,
    modules: [main, ...AGENT_MODULES.map((path) => new URL(`../${path}`, import.meta.url).href)],
    notePath: join(runtimeCache(env) ?? facts.stateHome, warmUpNoteName(main)),
    version: VERSION + await checkoutRevision(),
    ...(plan.config === undefined ? {} : { config: plan.config }),
  });
  if (warmed.status === "failed" && !flags.quiet) {
    await say(`Warning: the program could not be prepared, so it starts slowly: ${warmed.reason}`);
  }
  return await launch({
    ...plan,
    args: argv,
    stateHome: facts.stateHome,
    env: {
      ...await guardOfServers(plan.ceiling, facts),
      ALISIO_CONFIG_HOME: facts.configHome,
      ALISIO_STATE_HOME: facts.stateHome,
      ...await closedPathsVariable(facts),
    },
  });
}

/** Who ends what MCP servers start, where the agent itself may signal its own children alone. */
async function guardOfServers(
  { run }: Ceiling,
  { mcpExecutables, stateHome }: CeilingFacts,
): Promise<Readonly<Record<string, string>>> {
  if (run === "all" || mcpExecutables.length === 0) return {};
  const { startGroupGuard } = await load<typeof import("../core/process/start_group_guard.ts")>(
    "../core/process/start_group_guard.ts",
  );
  await Deno.mkdir(stateHome, { recursive: true, mode: 0o700 });
  return startGroupGuard(stateHome);
}

/** Changes when Git puts other sources in place; empty where the program is no checkout. */
async function checkoutRevision(): Promise<string> {
  const { dirname } = import.meta;
  if (dirname === undefined) return "";
  try {
    const { mtime } = await Deno.stat(join(dirname, "..", ".git", "index"));
    return ` ${mtime?.getTime()}`;
  } catch {
    return "";
  }
}

/** The agent may read stored keys and not change their file, its mode included. */
async function closeCredentials(configHome: string, isQuiet: boolean): Promise<void> {
  const path = join(configHome, "credentials.json");
  try {
    const { mode } = await Deno.stat(path);
    if (mode === null || (mode & 0o077) === 0) return;
  } catch {
    return;
  }
  const { closePrivateFile } = await load<typeof import("../core/config/private_file.ts")>(
    "../core/config/private_file.ts",
  );
  const notices = await closePrivateFile(path);
  if (!isQuiet) { for (const notice of notices) await say(notice); }
}

/** The kernel can open a folder only once it is there; pages of the web are kept in this one. */
async function prepareCache({ possible, cache }: CeilingFacts): Promise<void> {
  if (!possible.external || cache === undefined) return;
  try {
    await Deno.mkdir(cache, { recursive: true, mode: 0o700 });
  } catch {
    // Whoever wants to keep something there says that it cannot.
  }
}

/** A file of its own can be limited to only once it is there. */
async function prepareDatabase(path: string): Promise<void> {
  const { prepareFile } = await load<typeof import("../core/session/database_file.ts")>(
    "../core/session/database_file.ts",
  );
  prepareFile(path);
}

/** What the agent cannot find out about paths that it may not look at. */
async function closedPathsVariable(
  { closedPaths }: CeilingFacts,
): Promise<Readonly<Record<string, string>>> {
  if (closedPaths.length === 0) return {};
  const { CLOSED_PATHS_VARIABLE, formatClosedPaths } = await load<
    typeof import("../core/wall/closed_paths.ts")
  >("../core/wall/closed_paths.ts");
  return { [CLOSED_PATHS_VARIABLE]: formatClosedPaths(closedPaths) };
}

/** Names of paths and reasons of other programs are in it, which must not drive a terminal. */
async function say(text: string): Promise<void> {
  const { visibleLines } = await load<typeof import("../core/process/visible_text.ts")>(
    "../core/process/visible_text.ts",
  );
  Deno.stderr.writeSync(new TextEncoder().encode(`${visibleLines(text)}\n`));
}

/** A line for whoever reads the events of the run. */
function sayToProgram(code: string, message: string): void {
  const line = JSON.stringify({ schemaVersion: 1, type: "warning", data: { code, message } });
  try {
    Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
  } catch {
    // Nobody reads it; the run itself finds that out and says it.
  }
}

/** Loads what is seldom needed; a computed name is not read before. */
function load<T>(path: string): Promise<T> {
  return import(new URL(path, import.meta.url).href);
}
