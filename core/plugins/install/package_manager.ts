import { userHome } from "../../config/directories.ts";
import { readSmallFile } from "../../config/small_file.ts";
import { join } from "../../paths/path.ts";
import { CommandError } from "../../process/command_error.ts";
import { findExecutable } from "../../process/find_executable.ts";
import { type CommandOutcome, runCommand } from "../../process/run_command.ts";
import { StreamRedactor } from "../../process/stream_redactor.ts";
import { isSecretName, secretEnvironmentValues } from "../../secret_names.ts";
import { AlisioError } from "../../errors.ts";
import { redactSecrets } from "../../redact.ts";
import type { InstallFolder } from "./install_folder.ts";

/** The program that installs packages. */
export interface PackageManager {
  /** npm, or the installer of the runtime where there is no npm. */
  readonly kind: "npm" | "deno";
  /** Its path. */
  readonly program: string;
}

/** What a package manager is to do. */
export type PackageTask =
  /** Packages as the manager names them, such as `x@1.0.0`. */
  | { readonly do: "install"; readonly packages: readonly string[] }
  | { readonly do: "uninstall"; readonly name: string }
  /** Names of packages whose scripts run; npm alone does that. */
  | { readonly do: "run scripts"; readonly packages: readonly string[] };

/** How a package manager is run. */
export interface PackageManagerOptions {
  readonly folder: InstallFolder;
  /** The person's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Values that must not be shown, beside those of the environment. */
  readonly secrets: readonly string[];
  /** Variables that are added to its environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** Ends it. */
  readonly signal: AbortSignal;
  /**
   * When it is stopped.
   *
   * @default 600000
   */
  readonly timeoutMs?: number;
}

/** What a package manager came to. */
export interface PackageOutcome {
  /** Null when it did not exit by itself. */
  readonly exitCode: CommandOutcome["exitCode"];
  readonly endedBy: CommandOutcome["endedBy"];
  /** The signal that ended it, if one did. */
  readonly endSignal: string | null;
  /** What it printed, bounded, without secrets. */
  readonly output: string;
}

const TIMEOUT_MS = 600_000;
/** It must have ended, and everything be put back, before the program itself gives up. */
const KILL_GRACE_MS = 2_000;
const MAX_OUTPUT_BYTES = 32_000;

/**
 * Settings that hold whatever the person's own say: nothing of a package runs, nothing is forced,
 * and the folder of plugins is the only one that changes. A network that is down is found out within
 * seconds.
 */
const NPM_FLAGS: readonly string[] = [
  "--ignore-scripts",
  // To fetch a dependency from Git runs programs that its repository chooses; an older npm, which
  // does not know these, only warns.
  "--allow-git=none",
  "--allow-directory=none",
  "--allow-file=root",
  "--no-global",
  "--location=project",
  "--no-force",
  "--no-legacy-peer-deps",
  "--no-dry-run",
  "--save",
  "--save-exact",
  "--package-lock",
  "--no-workspaces",
  "--no-audit",
  "--no-fund",
  "--no-progress",
  "--no-color",
  "--no-update-notifier",
  "--fetch-retries=2",
  "--fetch-retry-mintimeout=500",
  "--fetch-retry-maxtimeout=3000",
];

const DENO_FLAGS: readonly string[] = ["--package-json", "--node-modules-dir=auto", "--quiet"];

/**
 * Finds what installs packages: `npm` in `PATH`, else the runtime itself.
 *
 * @param env Environment variables.
 * @param workspace The project; a program that lies in it is never taken.
 * @throws {AlisioError} `install_failed` if there is neither.
 */
export async function findPackageManager(
  env: Readonly<Record<string, string>>,
  workspace: string,
): Promise<PackageManager> {
  const npm = await findExecutable("npm", {
    path: env.PATH,
    pathExt: env.PATHEXT,
    exclude: [workspace],
  });
  if (npm !== null) return { kind: "npm", program: npm };
  if (!Deno.build.standalone) return { kind: "deno", program: Deno.execPath() };
  throw npmMissing();
}

/** The error of a machine that lacks npm where nothing else will do. */
export function npmMissing(): AlisioError {
  return new AlisioError(
    "install_failed",
    "npm was not found: install Node.js, or use the desktop app, which bundles it",
  );
}

/**
 * Lets a package manager change the folder of plugins.
 *
 * Scripts of packages are off unless they are the task itself, and then they get no variable that
 * is named like a secret. The manager is stopped with all that it started at the time limit and on
 * abort.
 *
 * @param manager The package manager.
 * @param task What it is to do.
 * @param options How it is run.
 * @throws {AlisioError} `install_failed` if it cannot be started.
 */
export async function runPackageManager(
  manager: PackageManager,
  task: PackageTask,
  options: PackageManagerOptions,
): Promise<PackageOutcome> {
  const { folder, env, signal, timeoutMs = TIMEOUT_MS } = options;
  const secrets = [
    ...options.secrets,
    ...secretEnvironmentValues(env),
    ...Object.entries(env).flatMap(([name, value]) =>
      /_(?:auth|password)$/i.test(name) ? value : []
    ),
    ...await npmrcSecrets([
      ...Object.entries(env).flatMap(([name, value]) =>
        name.toLowerCase() === "npm_config_userconfig" ? value : []
      ),
      join(userHome(env) ?? folder.root, ".npmrc"),
      join(folder.root, ".npmrc"),
    ]),
  ];
  try {
    const outcome = await runCommand({
      program: manager.program,
      args: manager.kind === "npm" ? npmArguments(task, folder) : denoArguments(task),
      cwd: folder.root,
      env: { ...managerEnvironment(env, task), ...options.variables },
      timeoutMs,
      signal,
      killGraceMs: KILL_GRACE_MS,
      maxCaptureBytes: MAX_OUTPUT_BYTES,
      createRedactor: () => new StreamRedactor(secrets),
      findEscaped: true,
      title: manager.kind,
    });
    return {
      exitCode: outcome.exitCode,
      endedBy: outcome.endedBy,
      endSignal: outcome.signal,
      output: redactSecrets(`${outcome.stdout}\n${outcome.stderr}`.trim(), secrets),
    };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new AlisioError("install_failed", error.message, { cause: error });
  }
}

function npmArguments(task: PackageTask, folder: InstallFolder): readonly string[] {
  const where = ["--prefix", folder.root];
  switch (task.do) {
    case "install":
      return ["install", ...where, ...NPM_FLAGS, "--", ...task.packages];
    case "uninstall":
      return ["uninstall", ...where, ...NPM_FLAGS, "--", task.name];
    case "run scripts": {
      const flags = NPM_FLAGS.filter((flag) => flag !== "--ignore-scripts");
      return ["rebuild", ...where, ...flags, "--no-ignore-scripts", "--", ...task.packages];
    }
  }
}

function denoArguments(task: PackageTask): readonly string[] {
  switch (task.do) {
    case "install":
      return ["add", ...DENO_FLAGS, "--save-exact", ...task.packages.map((each) => `npm:${each}`)];
    case "uninstall":
      return ["remove", ...DENO_FLAGS, task.name];
    case "run scripts":
      throw npmMissing();
  }
}

/**
 * What a person's own call of npm would see, without their keys for anything else. Version managers
 * keep what they need in variables of many names, so that a list of what may pass would break them.
 */
function managerEnvironment(
  env: Readonly<Record<string, string>>,
  task: PackageTask,
): Readonly<Record<string, string>> {
  const isKept = (name: string): boolean => {
    if (/^(?:LD_|DYLD_)/.test(name)) return false;
    if (!isSecretName(name)) return task.do !== "run scripts" || !/_(?:auth|password)$/i.test(name);
    return task.do !== "run scripts" && /^(?:npm_|node_auth_)/i.test(name);
  };
  const kept = Object.entries(env).filter(([name]) => isKept(name));
  return { ...Object.fromEntries(kept), NO_COLOR: "1" };
}

/** What a person's files of npm keep secret, so that none of it is shown. */
async function npmrcSecrets(paths: readonly string[]): Promise<readonly string[]> {
  const files = await Promise.all(paths.map((path) => readSmallFile(path, MAX_OUTPUT_BYTES * 8)));
  return files.flatMap((file) =>
    file.status !== "read" ? [] : [
      ...new TextDecoder().decode(file.bytes).matchAll(
        /_(?:authToken|auth|password)\s*=\s*"?([^"\s]+)/gi,
      ),
    ].flatMap(([, value]) => value ?? [])
  );
}
