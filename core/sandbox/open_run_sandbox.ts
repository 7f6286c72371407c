import { userHome } from "../config/directories.ts";
import type { Configuration } from "../config/configuration.ts";
import type { ProfileSandbox } from "../gate/profile/bind_profile.ts";
import { dirname, join } from "../paths/path.ts";
import { bindSandbox, type SandboxBinding } from "./bind_sandbox.ts";
import type { SandboxFacts, SandboxRoot } from "./sandbox_plan.ts";
import type { SandboxSurroundings } from "./sandbox_surroundings.ts";

/** What is known of a run whose programs are to be confined. */
export interface RunSandboxOptions {
  /** Real path of the workspace. */
  readonly workspace: string;
  /** Real paths that tools may touch, the workspace among them. */
  readonly roots: readonly string[];
  /** The risk profile in force; `null` if there is none. */
  readonly profile: ProfileSandbox | null;
  /** The key `sandbox` of the configuration. */
  readonly configured: Configuration["sandbox"];
  /** Effects that are permitted, or that a person could still permit. */
  readonly possible: SandboxFacts["possible"];
  /** Environment variables. */
  readonly env: Readonly<Record<string, string>>;
  /** The configuration home and the state home. */
  readonly homes: { readonly config: string; readonly state: string };
  /** Files with stored keys. */
  readonly secretFiles: readonly string[];
  /** The session database where it is not in the state home. */
  readonly database?: string;
}

/**
 * Opens the sandbox of a run. Imported only where something asks for one.
 *
 * @param options What is known of the run.
 * @throws {AlisioError} `config_invalid` if one is asked for by name that does not work here.
 */
export async function openRunSandbox(options: RunSandboxOptions): Promise<SandboxBinding> {
  const { profile, configured, env, homes } = options;
  return await bindSandbox({
    wish: { profile, configured },
    surroundings: runSurroundings(options),
    env,
    stateHome: homes.state,
  });
}

/**
 * What a run says of its programs.
 *
 * @param options What is known of the run.
 */
export function runSurroundings(
  options: Omit<RunSandboxOptions, "configured">,
): SandboxSurroundings {
  const { workspace, roots, profile, possible, env, homes, secretFiles, database } = options;
  const entries = profile?.paths ?? [];
  return {
    workspace,
    roots: roots.map((path): SandboxRoot => {
      const own = entries.find(({ kind, aliases }) => kind === "root" && aliases.includes(path));
      return { path, access: path === workspace ? "read-write" : own?.access ?? "read-write" };
    }),
    possible,
    forbidden: [
      ...new Set(entries.flatMap(({ kind, aliases }) => kind === "forbidden" ? aliases : [])),
    ],
    homes: [homes.config, homes.state],
    secret: [...secretFiles, ...(database === undefined ? [] : databaseFiles(database))],
    path: env["PATH"] ?? "",
    home: userHome(env) ?? null,
  };
}

function databaseFiles(database: string): readonly string[] {
  const folder = dirname(database);
  return [
    ...["", "-wal", "-shm", "-journal"].map((ending) => database + ending),
    ...["locks", "outputs", "blobs", "tasks", "artifacts"].map((name) => join(folder, name)),
  ];
}
