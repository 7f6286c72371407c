import { join } from "node:path";
import type { CeilingFacts } from "../../../core/wall/ceiling.ts";
import { findExecutable } from "../../../core/process/find_executable.ts";
import { writeTree } from "../../support/temp.ts";

/** Folders of a machine with a hostile repository. */
export interface World {
  readonly root: string;
  readonly workspace: string;
  readonly outside: string;
  readonly state: string;
  readonly config: string;
  readonly plugins: string;
  readonly git: string;
  readonly rg: string;
}

/**
 * Lays out a machine: a hostile repository with a history, a folder that is none of its business,
 * and the folders of Alisio.
 *
 * @param root An empty folder, by its real path.
 */
export async function createWorld(root: string): Promise<World> {
  const folder = (name: string): string => join(root, name);
  const world = {
    root,
    workspace: folder("workspace"),
    outside: folder("outside"),
    state: folder("state"),
    config: folder("config"),
    plugins: folder("plugins"),
    git: await programPath("git"),
    rg: await programPath("rg"),
  };
  await writeTree(root, {
    "workspace/readme": "A workspace\n",
    "workspace/.alisio/cache/keep": "",
    "workspace/vault/key": "secret\n",
    "workspace/shelf/key": "secret\n",
    "workspace/shelf/open/note": "note\n",
    "workspace/monitor.sh": `#!/bin/sh\necho x > '${world.state}/by-fsmonitor'\n`,
    "outside/secret": "secret\n",
    "outside/secret.json": '"secret"',
    "outside/victim": "whole",
    "state/keep": "",
    "config/config.json": "{}",
    "plugins/keep": "",
  });
  await Deno.chmod(join(world.workspace, "monitor.sh"), 0o755);
  await Deno.symlink(world.outside, join(world.workspace, "leak"));
  await Deno.symlink(join(world.workspace, "vault"), join(world.workspace, "to-vault"));
  await Deno.symlink(join(world.workspace, "vault"), join(world.workspace, "named"));
  await Deno.symlink(join(world.outside, "victim"), join(world.workspace, "victim"));
  await git(world.workspace, "init", "-q");
  await git(world.workspace, "add", "readme");
  await git(world.workspace, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x");
  await git(world.workspace, "config", "core.fsmonitor", join(world.workspace, "monitor.sh"));
  return world;
}

/**
 * Facts of a headless run in a world, without any permission flag.
 *
 * @param world The folders.
 */
export function factsOf(world: World): CeilingFacts {
  return {
    readOnly: false,
    possible: { write: false, process: false, external: false },
    canApproveDirectories: false,
    workspace: world.workspace,
    roots: [world.workspace],
    configHome: world.config,
    stateHome: world.state,
    cache: join(world.workspace, ".alisio", "cache"),
    pluginFolders: [world.plugins],
    readable: [],
    runtime: Deno.execPath(),
    executables: [world.git, world.rg],
    providers: [],
    proxies: [],
    mcpHosts: [],
    mcpExecutables: [],
    protectedPaths: [
      ...["config.json", "plugins"].map((name) => join(world.workspace, ".alisio", name)),
      world.config,
      join(world.state, "trust.json"),
      join(world.workspace, ".git"),
      join(world.workspace, "HEAD"),
    ],
    closedPaths: [],
    readOnlyRoots: [],
    sys: [],
    aliases: [],
    sandboxesPrograms: false,
  };
}

async function git(cwd: string, ...args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("git", { args: [...args], cwd }).output();
  if (!success) throw new Error(`git ${args[0]}: ${new TextDecoder().decode(stderr)}`);
}

async function programPath(name: string): Promise<string> {
  const found = await findExecutable(name, { path: Deno.env.get("PATH"), exclude: [] });
  if (found === null) throw new Error(`${name} is not in PATH`);
  return await Deno.realPath(found);
}
