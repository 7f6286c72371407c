import { quoted } from "../../config/quoted.ts";
import { AlisioError } from "../../errors.ts";
import { cutMiddle, visibleLines } from "../../process/visible_text.ts";
import type { PackageManager, PackageOutcome } from "./package_manager.ts";

/** What was tried. */
export interface FailedAttempt {
  /** What it was, for "Cannot …", such as `install "npm:x"`. */
  readonly what: string;
  /** The command that tries again. */
  readonly retry: string;
  /** Whether all installed plugins were to be updated together. */
  readonly isUpdateOfAll: boolean;
  /** Names of the plugins that are installed. */
  readonly installed: readonly string[];
}

/** The contract's package. */
const SDK = "@alisio/sdk";

/** Most of npm's own words that are shown. */
const MAX_SHOWN_BYTES = 4_000;

/** Names in npm's words, where they stand alone or before a version. */
const NAME_END = String.raw`(?=@|[\s"'/:,]|$)`;

/** Advice of npm's own that no person should follow here, and places of its logs. */
const LEFT_OUT_REGEXP =
  /--force|--legacy-peer-deps|full report|eresolve-report|complete log|_logs|^npm (?:error|ERR!)\s*$|^\s+at |^\s*Stack backtrace:|^\s*\d+: <unknown>/;

/** What npm's codes mean to a person. */
const REASONS: Readonly<Record<string, string>> = {
  ETARGET: "the registry has no such version; check the version",
  E401: "the registry wants you to sign in; run npm login first",
  E403: "the registry refuses it",
  EALLOWGIT:
    "one of its packages would be fetched with Git, which could run programs of its author",
  EALLOWDIRECTORY: "one of its packages would be a folder of this machine",
  EALLOWFILE: "one of its packages would be a file of this machine",
  EINTEGRITY: "what was downloaded is not what the registry announced",
  ENOSPC: "there is no room left on the disk",
  EACCES: "this user may not write the folder of plugins",
  EROFS: "the folder of plugins cannot be written",
};

/** What the runtime says of a package, whether the registry lacks it or cannot be asked. */
const NOT_FOUND_REGEXP = /^error: npm:\S+ was not found/m;

const NETWORK_REGEXP =
  /\b(?:ENOTFOUND|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT|EAI_AGAIN|error sending request|tcp connect error|dns error)\b/;

/**
 * Says why a package manager failed, and what to do. Its own words are part of the message, without
 * its advice to force anything.
 *
 * @param manager The package manager.
 * @param outcome What it came to.
 * @param attempt What was tried.
 */
export function explainFailure(
  { kind }: PackageManager,
  outcome: PackageOutcome,
  attempt: FailedAttempt,
): AlisioError {
  const { what, retry } = attempt;
  const start = `Cannot ${what}: `;
  const again = `\nEverything is as it was before. Try again with:\n  ${retry}`;
  const end = endOf(kind, outcome);
  if (end !== null) return failure(`${start}${end}${again}`);
  const code = /\bnpm (?:error|ERR!) code (\w+)/.exec(outcome.output)?.[1] ?? "";
  if (code === "ERESOLVE") return failure(start + explainConflict(outcome.output, attempt));
  const words = ownWords(kind, outcome.output);
  if (NETWORK_REGEXP.test(outcome.output)) {
    return failure(`${start}the registry cannot be reached; check the network${words}${again}`);
  }
  if (kind === "deno" && NOT_FOUND_REGEXP.test(outcome.output)) {
    const reason = "the registry has no such package, or cannot be reached; check both";
    return failure(`${start}${reason}${words}${again}`);
  }
  if (code === "E404") {
    return failure(`${start}${reasonOfMissing(outcome.output, attempt)}${words}${again}`);
  }
  const reason = REASONS[code] ?? `${kind} ended with status ${outcome.exitCode ?? "unknown"}`;
  return failure(`${start}${reason}${words}${again}`);
}

/** The package that is missing may be one that the plugin needs. */
function reasonOfMissing(output: string, { what, installed }: FailedAttempt): string {
  const [, name] = /requested resource '((?:@[^@'/]+\/)?[^@'/]+)@/.exec(output) ?? [];
  const isAskedFor = (each: string) =>
    isNamed(each, what.replaceAll("npm:", "")) || installed.includes(each);
  if (name === undefined || isAskedFor(name)) {
    return "the registry has no such package, or does not show it to you; check the name";
  }
  const hint = name === SDK
    ? "; plugins find it without being installed, so its author has to mark it as optional in " +
      "peerDependenciesMeta"
    : "";
  return `it needs package ${quoted(name)}, which the registry does not have${hint}`;
}

function endOf(kind: string, { endedBy, endSignal, exitCode }: PackageOutcome): string | null {
  switch (endedBy) {
    case "timeout":
      return `${kind} took too long and was stopped`;
    case "cancelled":
      return `${kind} was stopped`;
    case "signal":
      return `${kind} was ended by ${endSignal ?? "a signal"}`;
    case "exit":
      return exitCode === 0 ? `${kind} installed something else` : null;
  }
}

/** Trying again would fail in the same way, so that no command for it is offered. */
function explainConflict(
  output: string,
  { installed, isUpdateOfAll, retry }: FailedAttempt,
): string {
  const involved = installed.filter((name) => isNamed(name, output));
  const names = involved.length === 0 ? "installed plugins" : involved.map((each) => `"${each}"`);
  const cause = "it needs another version of a package that plugins share (ERESOLVE)";
  const list = `${cause}, because of: ${[names].flat().join(", ")}`;
  const words = ownWords("npm", output);
  return isUpdateOfAll
    ? `their newest versions do not fit together: ${list}${words}\nEverything is as it was before. ` +
      "Uninstall one of them, or wait until it is published for the same version"
    : `${list}${words}\nEverything is as it was before. Update all installed plugins together, then ` +
      `install again:\n  alisio install --update\n  ${retry}`;
}

function isNamed(name: string, output: string): boolean {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(String.raw`(?:^|[\s"'/])${escaped}${NAME_END}`, "m").test(output);
}

function ownWords(kind: string, output: string): string {
  const lines = visibleLines(output).split("\n").filter((line) => !LEFT_OUT_REGEXP.test(line));
  const text = cutMiddle(lines.join("\n").trim(), MAX_SHOWN_BYTES, () => "\n…\n");
  return text === "" ? "" : `. ${kind} says:\n${text.replace(/^/gm, "  ")}`;
}

function failure(message: string): AlisioError {
  return new AlisioError("install_failed", message);
}
