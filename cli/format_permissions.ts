import { visibleName } from "../core/process/visible_text.ts";
import type { Scope } from "../core/wall/ceiling.ts";
import type { KernelReport, PermissionsReport, WallReport } from "./doctor_wall.ts";

/**
 * The second wall in one line.
 *
 * @param wall What was found out.
 */
export function formatWall({ form, kernel, write, run, net }: WallReport): string {
  if (form === "off") return "off (--no-second-wall): nothing but Alisio itself limits a run";
  const walls = `${FORMS[form]}; kernel: ${kernel}`;
  const writes = `writes ${write === "all" ? "anywhere" : `in ${count(write, "place")}`}`;
  const starts = `starts ${run === "all" ? "any program" : count(run, "program")}`;
  const reaches = `reaches ${net === "all" ? "any host" : net.join(", ") || "no host"}`;
  return `${walls}; ${[writes, starts, reaches].join(", ")}`;
}

const FORMS = {
  relaunch: "flags of the runtime",
  compiled: "whole categories given up by the compiled binary",
} as const;

/**
 * Everything that limits a run, for a person: one fact on each line.
 *
 * @param form How the process is limited.
 * @param report What was found out.
 */
export function formatPermissions(form: WallReport["form"], report: PermissionsReport): string {
  const lines = [
    "",
    'What limits "alisio run" with these flags',
    ...formatProcess(form, report),
    ...formatKernel(report.kernel),
    ...formatTools(report.tools),
    form === "off"
      ? "Without --no-second-wall, flags of Deno and rules of the kernel limit the process too"
      : "With --no-second-wall, what is said of the tools is all that is left: the process has " +
        "every permission, and the kernel no rule",
  ];
  return `${lines.join("\n")}\n`;
}

function formatProcess(
  form: WallReport["form"],
  { flags, categories }: PermissionsReport,
): readonly string[] {
  switch (form) {
    case "off":
      return ["The process: every permission (--no-second-wall)"];
    case "compiled":
      return [
        "The process: a compiled binary, which takes no flags and gives up whole categories",
        `  gives up      ${categories?.excluded.join(", ") || "nothing"}`,
        `  keeps whole   ${categories?.wider.join(", ") || "nothing"}, which the kernel limits ` +
        "where it can",
      ];
    case "relaunch":
      return ["The process: started again with these flags of Deno", ...flags.flatMap(formatFlag)];
  }
}

/** A flag with its values, which are paths and hosts and go below it when there are several. */
function formatFlag(flag: string): readonly string[] {
  const equals = flag.indexOf("=");
  const values = equals < 0 ? [] : flag.slice(equals + 1).split(",");
  if (values.length < 2) return [`  ${visibleName(flag)}`];
  return [
    `  ${flag.slice(0, equals + 1)}`,
    ...values.map((value, index) =>
      `    ${visibleName(value)}${index < values.length - 1 ? "," : ""}`
    ),
  ];
}

function formatKernel(kernel: PermissionsReport["kernel"]): readonly string[] {
  if ("status" in kernel) return [`The kernel: ${kernel.status}, ${kernel.reason}`];
  const { write, missing } = kernel;
  const writable = write === "all" ? write : write.filter((path) => !missing.includes(path));
  return [
    `The kernel: Landlock version ${kernel.abi}, for the process and everything that it starts`,
    ...rows("writable", writable, "everything"),
    ...rows("executable", kernel.execute, "everything"),
    ...rows("TCP ports", portScope(kernel.tcpPorts), "every port"),
    ...missing.map((path) => row("closed", `${visibleName(path)}, which is not there yet`)),
    ...kernel.unenforced.map((gap) => row("not held", `${gap}, with this kernel`)),
    row(
      "not held",
      "reading, UDP, MPTCP, Unix sockets with a path, and the mode and owner of files",
    ),
  ];
}

function formatTools(tools: PermissionsReport["tools"]): readonly string[] {
  if (tools === null) return ["The tools: unknown"];
  const widths = [0, 1].map((at) =>
    Math.max(...tools.map(({ tool, effect }) => [tool, effect][at]?.length ?? 0))
  );
  return [
    "The tools of Alisio, before their paths and words are known",
    ...tools.map(({ tool, effect, decision, rule, remedy }) =>
      `  ${tool.padEnd(widths[0] ?? 0)}  ${effect.padEnd(widths[1] ?? 0)}  ` +
      `${DECISIONS[decision]} (${rule})` +
      (remedy === undefined ? "" : `: to permit it, ${remedy}`)
    ),
  ];
}

const DECISIONS = { allow: "runs", ask: "asks", deny: "refused" } as const;

function rows(name: string, scope: Scope, all: string): readonly string[] {
  if (scope === "all") return [row(name, all)];
  if (scope.length === 0) return [row(name, "nothing")];
  return scope.map((value, index) => row(index === 0 ? name : "", visibleName(value)));
}

function row(name: string, value: string): string {
  return `  ${name.padEnd(12)}${value}`;
}

function portScope(ports: KernelReport["tcpPorts"]): Scope {
  return ports === "all" || ports.length === 0 ? ports as "all" | [] : [ports.join(", ")];
}

function count(list: readonly string[], noun: string): string {
  return list.length === 0 ? `no ${noun}` : `${list.length} ${noun}${list.length === 1 ? "" : "s"}`;
}
