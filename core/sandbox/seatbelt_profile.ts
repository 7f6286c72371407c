import type { SandboxEntry, SandboxPlan } from "./sandbox_plan.ts";

/** What nearly every program of macOS needs before it does anything of its own. */
const BASICS: readonly string[] = [
  "(version 1)",
  "(deny default)",
  "(allow process-fork)",
  "(allow process-exec)",
  "(allow process-info* (target same-sandbox))",
  "(allow signal (target same-sandbox))",
  "(allow sysctl-read)",
  "(allow ipc-posix-sem)",
  "(allow file-read-metadata)",
  '(allow file-read* (literal "/"))',
  '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
  '(allow mach-lookup (global-name "com.apple.system.logger"))',
  '(allow file-read* file-write* (literal "/dev/null") (literal "/dev/zero"))',
  '(allow file-read* (literal "/dev/random") (literal "/dev/urandom"))',
  '(allow file-read* file-write* (subpath "/dev/fd"))',
];

const NETWORK: readonly string[] = [
  "(allow network*)",
  "(allow system-socket)",
  '(allow mach-lookup (global-name "com.apple.dnssd.service"))',
  '(allow mach-lookup (global-name "com.apple.SystemConfiguration.configd"))',
  '(allow mach-lookup (global-name "com.apple.trustd.agent"))',
];

/**
 * A profile for `sandbox-exec` that holds a program to a plan. Pure.
 *
 * Everything is denied that no rule allows, and of two rules that fit, the later one counts: what
 * lies deeper comes later.
 *
 * @param plan What is visible.
 * @param tempFolder The private folder for temporary files.
 */
export function seatbeltProfile(plan: SandboxPlan, tempFolder: string): string {
  const temp: SandboxEntry = { path: tempFolder, kind: "folder", access: "read-write" };
  return [
    ...BASICS,
    ...(plan.network === "open" ? NETWORK : []),
    ...[...plan.entries, temp].flatMap(rulesOf),
  ].join("\n");
}

function rulesOf({ path, access }: SandboxEntry): readonly string[] {
  const place = `(subpath ${quoted(path)})`;
  switch (access) {
    case "read-only":
      return [`(allow file-read* ${place})`, `(deny file-write* ${place})`];
    case "read-write":
      // A folder that is renamed would leave what is closed in it without its name.
      return [
        `(allow file-read* file-write* ${place})`,
        `(deny file-write-unlink (literal ${quoted(path)}))`,
      ];
    case "write-only":
      return [`(deny file-read-data ${place})`, `(allow file-write* ${place})`];
    case "private":
    case "closed":
      return [`(deny file-read* file-write* ${place})`];
  }
}

function quoted(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
