import { quoted } from "../core/config/quoted.ts";
import { AlisioError } from "../core/errors.ts";
import { visibleLines } from "../core/process/visible_text.ts";
import type { CommandContext } from "./command_context.ts";
import {
  type ActiveAgentReport,
  type CostReport,
  type DoctorReport,
  examine,
  type ProgramReport,
} from "./doctor_report.ts";
import { formatMcp } from "./doctor_mcp.ts";
import { formatSearch } from "./doctor_search.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { formatPermissions, formatWall } from "./format_permissions.ts";
import { jsonLine } from "./json_line.ts";

/**
 * `alisio doctor`: says whether a run would work here, and what to do if not. It asks no server.
 *
 * @param context What the command was called with.
 * @returns 0 if a run would work, 1 if something that it needs is missing.
 * @throws {AlisioError} If the command line is wrong, or the workspace is not usable.
 */
export async function runDoctor(context: CommandContext): Promise<number> {
  const [extra] = context.args;
  if (extra !== undefined) {
    throw new AlisioError("usage", `Unexpected argument ${quoted(extra)}: write alisio doctor`);
  }
  const report = await examine(context);
  const ok = report.problems.length === 0;
  if (context.flags.json) {
    context.out(jsonLine({ schemaVersion: 1, type: "doctor", ok, ...report }));
  } else {
    context.out(visibleLines(formatReport(report)));
  }
  return ok ? EXIT_STATUS.completed : EXIT_STATUS.failed;
}

function formatReport(report: DoctorReport): string {
  const { programs, trust, output, sessions } = report;
  const rows: readonly (readonly [string, string])[] = [
    ["Alisio", `${report.version}, ${report.runtime}, ${report.platform}`],
    ["Workspace", quoted(report.workspace, 1000)],
    ["Git", formatProgram(programs.git)],
    ["ripgrep", formatProgram(programs.rg)],
    ["Python", formatProgram(programs.python)],
    ["Configuration", formatFiles(report)],
    ["Project trust", `${trust.state}: ${trust.reason}`],
    ...report.activeAgents.map((agent) => ["Active agent", formatAgent(agent)] as const),
    ["Risk profile", formatProfile(report)],
    ...(report.costLimit === null ? [] : [["Cost limit", formatCosts(report.costLimit)] as const]),
    ...formatProvider(report),
    ...(output === null ? [] : [["Output limit", formatOutput(output)] as const]),
    ...(report.webSearch === null ? [] : [["Web search", formatSearch(report.webSearch)] as const]),
    ...(report.mcp === null ? [] : [["MCP servers", formatMcp(report.mcp)] as const]),
    ["Second wall", formatSecondWall(report)],
    ...(report.conversationWall === null
      ? []
      : [["At a terminal", formatWall(report.conversationWall)] as const]),
    ["Sandbox", formatSandbox(report)],
    ["Sessions", `${quoted(sessions.path, 1000)} (${SESSION_STATES[sessions.state]})`],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
  if (report.plannedKeys.length > 0) {
    const names = report.plannedKeys.map((key) => `"${key}"`).join(", ");
    lines.push(`Without effect in this release: ${names}`);
  }
  for (const warning of report.warnings) lines.push(`Warning: ${warning}`);
  for (const problem of report.problems) lines.push(`Problem: ${problem}`);
  lines.push(report.problems.length === 0 ? "Ready" : "Not ready: see the problems above");
  const { permissions, secondWall } = report;
  const details = permissions === undefined || secondWall === null
    ? ""
    : formatPermissions(secondWall.form, permissions);
  return `${lines.join("\n")}\n${details}`;
}

const SESSION_STATES = {
  ok: "ok",
  absent: "will be created by the first run",
  unusable: "cannot be used",
} as const;

function formatProgram({ path, hint }: ProgramReport): string {
  return path === null ? `missing; ${hint}` : quoted(path, 1000);
}

function formatFiles({ configFiles, unknown }: DoctorReport): string {
  if (unknown.includes("configFiles")) return "unknown: the configuration cannot be used";
  const files = configFiles.map(({ layer, file }) => `${layer} ${quoted(file, 1000)}`);
  return files.length === 0 ? "no file, defaults only" : files.join(", ");
}

function formatSecondWall({ secondWall, unknown }: DoctorReport): string {
  return secondWall === null
    ? `unknown: ${whyUnknown(unknown, "what it would be worked out from")}`
    : formatWall(secondWall);
}

function formatSandbox({ sandbox, unknown }: DoctorReport): string {
  if (unknown.includes("riskProfile")) return `unknown: ${whyUnknown(unknown, "the profile")}`;
  if (sandbox === null) return "none: no program can be started";
  const { backend, gaps, reasons } = sandbox;
  const why = reasons.length === 0 ? "" : ` (${reasons.join("; ")})`;
  if (backend === "none") return `none: programs that the model starts have your rights${why}`;
  const open = gaps.length === 0 ? "" : `; leaves open: ${gaps.join("; ")}`;
  return `${backend}, for programs that the model starts${open}${why}`;
}

function formatAgent({ name, onlyReads, tools }: ActiveAgentReport): string {
  const limits = [
    ...onlyReads ? ["looks and changes nothing"] : [],
    ...tools === null ? [] : [`has no tools but: ${tools.join(", ") || "none"}`],
  ];
  return `${quoted(name)}, which ${limits.join(", and ")}`;
}

function formatProfile({ riskProfile, activeAgents, unknown }: DoctorReport): string {
  if (unknown.includes("riskProfile")) return `unknown: ${whyUnknown(unknown, "the profile")}`;
  if (riskProfile === null) {
    return activeAgents.length === 0 ? "none: flags alone decide" : "none: flags and agent decide";
  }
  const { name, level, source } = riskProfile;
  return `${quoted(name)}, ${level} (from ${source})`;
}

function formatCosts({ maxCentsPerDay, price }: CostReport): string {
  if (maxCentsPerDay === 0) return "0 cents a day: no request is sent to a model";
  const limit = `${maxCentsPerDay} cents a day`;
  return price === "configuration"
    ? `${limit}, at the configured price of the model`
    : `${limit}, if the server states the price of the model; "provider.prices" states none`;
}

/** What keeps a part from being known: the configuration before all, else what is named. */
function whyUnknown(unknown: DoctorReport["unknown"], part: string): string {
  return `${unknown.includes("configFiles") ? "the configuration" : part} cannot be used`;
}

function formatProvider(
  { provider, unknown }: DoctorReport,
): readonly (readonly [string, string])[] {
  if (unknown.includes("provider")) {
    return [["Provider", `unknown: ${whyUnknown(unknown, "what is saved of providers")}`]];
  }
  if (provider === null) return [["Provider", "none"]];
  const { id, profile, baseURL, model, source, key } = provider;
  const address = baseURL === undefined ? "" : ` at ${quoted(baseURL, 300)}`;
  const saved = profile === undefined ? "" : `, profile ${quoted(profile)}`;
  return [
    ["Provider", `${id}${address}${saved} (from ${source})`],
    ["Model", model === "" ? "none" : quoted(model, 300)],
    ["Key", KEY_STATES[key.status](key.variable ?? "")],
  ];
}

const KEY_STATES = {
  stored: () => "stored in the credentials file",
  set: (variable: string) => `variable "${variable}" is set`,
  missing: (variable: string) => `variable "${variable}" is not set`,
  not_needed: () => "not needed",
  withheld: (variable: string) => `variable "${variable}" belongs to another address`,
  signed_in: () => "signed in with an account",
  signed_out: () => "nobody is signed in",
} as const;

function formatOutput({ maxOutputTokens, source }: NonNullable<DoctorReport["output"]>): string {
  return source === "user"
    ? `${maxOutputTokens} tokens (user)`
    : `${maxOutputTokens} tokens (${source}; the model's own limit counts where it is reported)`;
}
