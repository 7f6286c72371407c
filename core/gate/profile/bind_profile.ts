import type { Effect } from "@alisio/sdk";
import { userHome } from "../../config/directories.ts";
import { isInside } from "../../paths/is_inside.ts";
import { resolve } from "../../paths/path.ts";
import { findExecutable } from "../../process/find_executable.ts";
import { type ApprovalPlan, type Approvers, HEADLESS } from "../approval/approval_plan.ts";
import { routeApprovals } from "../approval/route_approvals.ts";
import type { PathEntry } from "../paths_policy/path_policy.ts";
import type { GateProfile, ProfileCall } from "../gate_profile.ts";
import type { CommandGrade } from "../shell/command_grade.ts";
import { type CommandProfile, decideCommand, stricterDecision } from "../shell/decide_command.ts";
import { gradeCommand, gradeProgramCall } from "../shell/grade_command.ts";
import { toCommandList } from "../shell/match_allowed_commands.ts";
import { ActionBudget, type ActionReservation, HOUR_MS } from "./action_budget.ts";
import { type CommandFacts, commandFacts } from "./command_facts.ts";
import type { PlacedProfile } from "./compare_profiles.ts";
import { gatherProfileInput } from "./gather_profile_input.ts";
import { passedSecrets, profileEnvironment } from "./profile_environment.ts";
import { consumesAction } from "./profile_facts.ts";
import { unknownTools } from "./known_tools.ts";
import { profileOfRun, type ProfileOfRunOptions } from "./profile_of_run.ts";
import { type ProfilePolicy, profilePolicy } from "./profile_policy.ts";
import { profileRoots } from "./profile_roots.ts";
import { type RiskProfile, type SandboxBackend, sandboxBackend } from "./risk_profile.ts";
import { shadowedNames } from "./shadowed_names.ts";

/** What a profile is bound to. */
export interface BindProfileOptions extends ProfileOfRunOptions {
  /** Environment variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Real path of the workspace. */
  readonly workspace: string;
  /** Who could be asked. */
  readonly approvers: Approvers;
  /** Effects that flags permit. They count as approval where nobody can be asked. */
  readonly permitted: readonly Effect[];
}

/** What the tools have to know of a profile. */
export interface ProfileToolFacts {
  /** The whole environment of the programs that a model starts. */
  readonly environment: Readonly<Record<string, string>>;
  /** Longest run of one command. */
  readonly maxCommandMs: number;
}

/** The limit of costs of a profile. */
export interface ProfileCostLimit {
  /** US cents; 0 permits no request at all. */
  readonly maxCentsPerDay: number;
  /** The key of the configuration that sets it. */
  readonly key: string;
  /** Whether the profile itself names it, or one that it must keep to names its own. */
  readonly isNamed: boolean;
}

/** What a sandbox has to know of a profile. */
export interface ProfileSandbox {
  /** Name of the profile. */
  readonly alias: string;
  /** The sandbox that it asks for. */
  readonly backend: SandboxBackend;
  /** What it opens and closes. */
  readonly paths: readonly PathEntry[];
}

/** A profile that is in force, as the parts of a run use it. */
export interface BoundProfile {
  /** Its rules, one policy among others. */
  readonly policy: ProfilePolicy;
  /** Who is asked under it. */
  readonly approvals: ApprovalPlan;
  /**
   * Who is asked about calls of an agent that another one started: whoever its route names, and
   * nobody in their place.
   */
  readonly delegateApprovals: ApprovalPlan;
  /** Real paths of the folders that it opens beside the workspace, as far as they exist. */
  readonly roots: readonly string[];
  /** What the tools have to know. */
  readonly tools: ProfileToolFacts;
  /** How far back calls of earlier runs count. */
  readonly budgetMs: number;
  /** Values that programs receive and that neither the model nor the record gets. */
  readonly secrets: readonly string[];
  /** Most that the responses of a day may cost. */
  readonly costLimit: ProfileCostLimit;
  /** The sandbox that it asks for. */
  readonly sandbox: ProfileSandbox;
  /**
   * Real paths inside of what is open that nothing looks into.
   *
   * @param open Real paths of the folders that are open.
   */
  closedPaths(open: readonly string[]): readonly string[];
  /**
   * What its lists name that is no tool, one sentence each.
   *
   * @param tools Names of all tools that there are.
   */
  unknownTools(tools: readonly string[]): readonly string[];
  /** Makes what the gate asks. */
  gate(options: GateProfileOptions): GateProfile;
}

/** What surrounds a gate with a profile. */
export interface GateProfileOptions {
  /** Real paths that tools may touch. */
  readonly roots: readonly string[];
  /** Whether a real path is one of the files that decide what Alisio may do. */
  readonly isOwnFile: (real: string) => boolean;
  /**
   * Calls that ran before, which count for the budget of the hour.
   *
   * @default none
   */
  readonly earlierCalls?: readonly EarlierCall[];
}

/** A call of an earlier run. */
export interface EarlierCall {
  /** Name of the tool. */
  readonly name: string;
  /** Its effect. */
  readonly effect: Effect;
  /** Epoch milliseconds. */
  readonly startedAt: number;
}

/** The profile of a run, and what the person should know of it. */
export interface ProfileBinding {
  /** `null` if none is in force. */
  readonly bound: BoundProfile | null;
  /** One sentence each. */
  readonly notices: readonly string[];
}

/**
 * Finds the profile of a run and binds it to its workspace. Imported only where a configuration or
 * a flag speaks of profiles.
 *
 * @param options What it is bound to.
 * @throws {AlisioError} `config_invalid` if a profile is wrong or a binding names none, `usage` if
 * the flag names none.
 */
export async function bindProfile(options: BindProfileOptions): Promise<ProfileBinding> {
  const { placed, above, notices } = await profileOfRun(options);
  if (placed === null) return { bound: null, notices };
  const { approvalRoute } = placed.profile;
  const { approvers } = options;
  const { plan, problem } = routeApprovals(approvalRoute, approvers);
  const canBeTold = approvers.originators.length + approvers.channels.length > 0;
  const unreachable = approvalRoute === null || problem === null ? [] : [
    `Approvals cannot be asked for on "${approvalRoute.approverChannel}", because ${problem}: ` +
    (plan.hops.length === 0 ? "what needs one is refused" : "they are asked for here"),
  ];
  const said = canBeTold ? [...notices, ...unreachable] : notices;
  return { bound: bind(placed, plan, above, options), notices: said };
}

function bind(
  placed: PlacedProfile,
  approvals: ApprovalPlan,
  above: RiskProfile | undefined,
  options: BindProfileOptions,
): BoundProfile {
  const { profile, paths } = placed;
  const canAsk = approvals.hops.length > 0;
  // Where approvals belong elsewhere, no flag of the person who is here counts as one.
  const countsFlags = !canAsk && profile.approvalRoute === null;
  const environment = profileEnvironment(options.env, profile);
  const roots = profileRoots(paths);
  return {
    policy: profilePolicy(profile, {
      paths,
      canAsk,
      preGranted: countsFlags ? options.permitted : [],
    }),
    approvals,
    delegateApprovals: delegateApprovals(profile, options.approvers),
    roots,
    closedPaths: (open) => closedPaths(placed, open),
    unknownTools: (tools) => unknownTools(profile, tools),
    tools: { environment, maxCommandMs: profile.shellTimeoutMs },
    budgetMs: HOUR_MS,
    secrets: passedSecrets(options.env, profile),
    costLimit: {
      maxCentsPerDay: profile.maxCostPerDayCents,
      key: `riskProfiles.${profile.alias}.maxCostPerDayCents`,
      isNamed: profile.namesCostLimit || above?.namesCostLimit === true,
    },
    sandbox: {
      alias: profile.alias,
      backend: sandboxBackend(profile.sandbox),
      paths: paths.entries,
    },
    gate: (surroundings) =>
      new ProfileGate(placed, above, options, { ...surroundings, environment }),
  };
}

/** The person who is here belongs to the caller: such an agent never reaches them. */
function delegateApprovals({ approvalRoute }: RiskProfile, { channels }: Approvers): ApprovalPlan {
  if (approvalRoute === null) return HEADLESS;
  const route = { ...approvalRoute, onNoApprover: "deny" as const };
  return routeApprovals(route, { originators: [], channels }).plan;
}

/** What looks through an open folder passes by, because the profile closes it. */
function closedPaths({ paths }: PlacedProfile, open: readonly string[]): readonly string[] {
  const closed = paths.entries
    .filter(({ kind, access }) => kind === "forbidden" || access === "write-only")
    .flatMap(({ aliases }) => aliases)
    .filter((path) => open.some((folder) => path !== folder && isInside(path, folder)));
  return [...new Set(closed)];
}

/** What the gate asks of a profile, and the budget of its run. */
class ProfileGate implements GateProfile {
  readonly #placed: PlacedProfile;
  readonly #closedPaths: readonly string[];
  readonly #options: BindProfileOptions;
  readonly #surroundings: GateProfileOptions & {
    readonly environment: Readonly<Record<string, string>>;
  };
  readonly #budget: ActionBudget;
  /** The rules about commands: of the profile, and of the one that it must keep to. */
  readonly #commandProfiles: readonly CommandProfile[];
  #bash: Promise<string | null> | undefined;

  constructor(
    placed: PlacedProfile,
    above: RiskProfile | undefined,
    options: BindProfileOptions,
    surroundings: GateProfileOptions & { readonly environment: Readonly<Record<string, string>> },
  ) {
    const { maxActionsPerHour } = placed.profile;
    this.#placed = placed;
    this.#closedPaths = closedPaths(placed, surroundings.roots);
    this.#options = options;
    this.#surroundings = surroundings;
    this.#budget = new ActionBudget({
      maxActionsPerHour,
      now: () => performance.now(),
      earlierMs: (surroundings.earlierCalls ?? [])
        .filter(({ name, effect }) => consumesAction(name, effect))
        .map(({ startedAt }) => Date.now() - startedAt),
    });
    const home = userHome(options.env);
    this.#commandProfiles = [placed.profile, ...above === undefined ? [] : [above]]
      .map((each) => ({ ...each, allowedCommands: toCommandList(each.allowedCommands, home) }));
  }

  async input({ tool, effect, input, paths }: ProfileCall): ReturnType<GateProfile["input"]> {
    const grade = await this.#grade(tool, input);
    const command = grade === null ? null : await this.#judge(grade);
    const commandFolder = commandFolderOf(tool, input, paths);
    const call = { tool, effect, paths, command };
    return await gatherProfileInput({ ...call, ...commandFolder }, {
      workspace: resolve(this.#options.cwd),
      realWorkspace: this.#options.workspace,
      home: userHome(this.#options.env) ?? null,
      closedPaths: this.#closedPaths,
      isOwnFile: this.#surroundings.isOwnFile,
      actionsLeft: this.#budget.left(),
    });
  }

  reserve(tool: string, effect: Effect): ActionReservation | null {
    return consumesAction(tool, effect) ? this.#budget.reserve() : FREE_OF_CHARGE;
  }

  async #grade(
    tool: string,
    { command, args }: ProfileCall["input"],
  ): Promise<CommandGrade | null> {
    if (typeof command !== "string") return null;
    if (tool === "shell" || tool === "bg_run") {
      if (Deno.build.os === "windows") return gradeCommand(command, { dialect: "cmd" });
      return gradeCommand(command, { dialect: await this.#findBash() === null ? "sh" : "bash" });
    }
    if (tool !== "run_process") return null;
    return gradeProgramCall(command, Array.isArray(args) ? args.map(String) : []);
  }

  async #judge(grade: CommandGrade): Promise<CommandFacts> {
    const { profile } = this.#placed;
    const home = userHome(this.#options.env);
    const { PATH, PATHEXT } = this.#surroundings.environment;
    const named = grade.runs.flatMap(({ name, isPath }) => name === null || isPath ? [] : [name]);
    const facts = {
      ...(home === undefined ? {} : { home }),
      shadowedNames: await shadowedNames(named, {
        path: PATH,
        pathExt: PATHEXT,
        folders: this.#surroundings.roots,
      }),
    };
    const verdict = this.#commandProfiles
      .map((each) => decideCommand(grade, each, facts))
      .reduce(stricterDecision);
    const { allowedCommands } = profile;
    return commandFacts(grade, verdict, { allowedCommands, home: home ?? null });
  }

  /** The shell that the tool would find. */
  #findBash(): Promise<string | null> {
    const { env, workspace } = this.#options;
    this.#bash ??= findExecutable("bash", { path: env["PATH"], exclude: [workspace] });
    return this.#bash;
  }
}

const FREE_OF_CHARGE: ActionReservation = { commit() {}, release() {} };

/** Relative paths in a command mean the folder that it starts in. */
function commandFolderOf(
  tool: string,
  { cwd }: ProfileCall["input"],
  paths: ProfileCall["paths"],
): { readonly commandFolder?: string } {
  if (tool !== "bg_run" || typeof cwd !== "string") return {};
  const folder = paths.find(({ requested }) => requested === cwd);
  return folder === undefined ? {} : { commandFolder: folder.real };
}
