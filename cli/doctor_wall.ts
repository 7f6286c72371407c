import type { Effect } from "@alisio/sdk";
import { createApplication } from "../core/application.ts";
import type { Verdict } from "../core/gate/policy.ts";
import { isInside } from "../core/paths/is_inside.ts";
import { join } from "../core/paths/path.ts";
import type { Ceiling, Scope } from "../core/wall/ceiling.ts";
import { type CategorySplit, splitCategories } from "../core/wall/current_wall.ts";
import { type LandlockResult, previewLandlock } from "../core/wall/landlock.ts";
import { agentFlags, describeKernelWall } from "../core/wall/launch.ts";
import {
  createStandardTools,
  loadSchemaValidator,
  loadYamlParser,
} from "../tools/standard_tools.ts";
import type { CommandContext } from "./command_context.ts";
import { type LaunchPlan, planLaunch } from "./launcher.ts";
import { parseAgentsFlag } from "./parse_agents_flag.ts";

/**
 * How a run with these flags would be limited below its own code.
 *
 * - `relaunch`: the program starts itself again under flags of the runtime
 * - `compiled`: a compiled binary gives up whole categories of permissions
 * - `off`: not at all, because of `--no-second-wall`
 */
export type WallForm = "relaunch" | "compiled" | "off";

/** The second wall of a run with these flags, as far as one line says it. */
export interface WallReport {
  /** How the process would be limited. */
  readonly form: WallForm;
  /** What the kernel would enforce, in one line. */
  readonly kernel: string;
  /** What may be written, started and connected to. */
  readonly write: Scope;
  /** Programs that may be started. */
  readonly run: Scope;
  /** `host:port` that may be connected to. */
  readonly net: Scope;
}

/** Rules that the kernel would hold every process of the run to. */
export interface KernelReport {
  /** Version of Landlock. */
  readonly abi: number;
  /** What may be written to. */
  readonly write: Scope;
  /** What may be executed, loaders not counted. */
  readonly execute: Scope;
  /** TCP ports that may be connected to. */
  readonly tcpPorts: "all" | readonly number[];
  /** Paths of `write` that stay closed, because no rule can name what is not there. */
  readonly missing: readonly string[];
  /** What this kernel cannot enforce. */
  readonly unenforced: readonly string[];
}

/** What a tool could do in a run with these flags. */
export interface ToolReport {
  /** Its name. */
  readonly tool: string;
  /** Its effect. */
  readonly effect: Effect;
  /** What becomes of its calls, before their paths and words are known. */
  readonly decision: Verdict;
  /** The rule that decides, as `policy:rule`. */
  readonly rule: string;
  /** What would permit it. */
  readonly remedy?: string;
}

/** Everything that limits a run with these flags; what `--permissions` adds. */
export interface PermissionsReport {
  /** Flags of the runtime that the process is started with; empty unless it is started again. */
  readonly flags: readonly string[];
  /** What a compiled binary gives up and keeps; null unless this is one. */
  readonly categories: CategorySplit | null;
  /** Rules for the kernel, or why there are none. */
  readonly kernel: KernelReport | { readonly status: string; readonly reason: string };
  /** Every tool that comes with Alisio, or null where that cannot be found out. */
  readonly tools: readonly ToolReport[] | null;
}

/** What `doctor` says of the second wall. */
export interface ExaminedWall {
  /** A run, in one line. */
  readonly summary: WallReport;
  /** A conversation at a terminal, whose person could still approve more. */
  readonly conversation: WallReport;
  /** In full, the tools left out. */
  readonly details: Omit<PermissionsReport, "tools">;
}

/**
 * Works out how a run with the flags of this command would be limited, by the code that limits it.
 * Starts nothing and changes nothing.
 *
 * @param context What the command was called with.
 * @throws {AlisioError} If the workspace or the configuration is not usable, or a path cannot be
 * written as a flag, in which case no run starts either.
 */
export async function examineWall(context: CommandContext): Promise<ExaminedWall> {
  const { flags, cwd, env } = context;
  const plan = await planLaunch({ flags, cwd, env });
  const conversation = await planLaunch({ flags, cwd, env, canAsk: true });
  const form = flags.noSecondWall ? "off" : Deno.build.standalone ? "compiled" : "relaunch";
  const kernel = form === "off" ? NO_KERNEL : previewLandlock(plan.ceiling);
  return {
    summary: summarize(form, plan.ceiling, kernel),
    conversation: summarize(
      form,
      conversation.ceiling,
      form === "off" ? NO_KERNEL : previewLandlock(conversation.ceiling),
    ),
    details: {
      flags: form === "relaunch" ? agentFlags(plan) : [],
      categories: form === "compiled" ? splitCategories(plan.ceiling) : null,
      kernel: reportKernel(kernel, plan),
    },
  };
}

const NO_KERNEL: LandlockResult = { status: "off", reason: "--no-second-wall leaves it out" };

function summarize(form: WallForm, ceiling: Ceiling, kernel: LandlockResult): WallReport {
  const { write, run, net } = form === "off" ? EVERYTHING : ceiling;
  return { form, kernel: describeKernelWall(kernel), write, run, net };
}

const EVERYTHING = { write: "all", run: "all", net: "all" } as const satisfies Partial<Ceiling>;

function reportKernel(result: LandlockResult, plan: LaunchPlan): PermissionsReport["kernel"] {
  const { ceiling: { kernel }, facts } = plan;
  if (result.status !== "applied") return { status: result.status, reason: result.reason };
  if ("off" in kernel) return { status: "off", reason: kernel.off };
  return {
    abi: result.abi,
    write: kernel.write,
    execute: kernel.run,
    tcpPorts: kernel.tcpPorts,
    missing: result.plan.missing.filter((path) =>
      // The launcher creates these before it tells the kernel.
      path !== facts.stateHome && path !== facts.database &&
      // What may be created may be created.
      !(kernel.write !== "all" &&
        kernel.write.some((open) => open !== path && isInside(path, open)))
    ),
    unenforced: result.plan.unenforced,
  };
}

/**
 * Asks the gate of a run with these flags about every tool that comes with Alisio. The record of that run is a file of its
 * own, which is removed again: the person's sessions are neither opened nor created.
 *
 * @param context What the command was called with.
 * @returns Null where no such file can be made.
 * @throws {AlisioError} If a run would not start.
 */
export async function examineTools(context: CommandContext): Promise<readonly ToolReport[] | null> {
  let folder: string;
  try {
    folder = await Deno.makeTempDir({ prefix: "alisio-doctor-" });
  } catch {
    return null;
  }
  try {
    const { agents, ...flags } = context.flags;
    const application = await createApplication({
      ...flags,
      ...(agents === undefined ? {} : { agents: parseAgentsFlag(agents) }),
      cwd: context.cwd,
      env: context.env,
      db: join(folder, "sessions.sqlite"),
      tools: createStandardTools,
      plugins: [],
      // This process has every permission, and is no place for the code of others.
      loadsExternalPlugins: false,
      loadValidator: loadSchemaValidator,
      loadYamlParser,
    });
    try {
      return application.gate.status("").map(({ tool, decision }) => ({
        tool: tool.name,
        effect: tool.effect,
        decision: decision.decision,
        rule: decision.matched,
        ...(decision.remedy === undefined ? {} : { remedy: decision.remedy }),
      }));
    } finally {
      await application.close();
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
