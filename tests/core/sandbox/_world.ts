import { join } from "node:path";
import { bindSandbox } from "../../../core/sandbox/bind_sandbox.ts";
import { childEnvironment } from "../../../core/process/child_environment.ts";
import type { CommandOutcome, CommandSpec } from "../../../core/process/run_command.ts";
import type { Sandbox } from "../../../core/sandbox/sandbox.ts";
import type { UsableBackend } from "../../../core/sandbox/sandbox_backend.ts";
import { createSandboxProbes } from "../../../core/sandbox/sandbox_probes.ts";
import type { SandboxSurroundings } from "../../../core/sandbox/sandbox_surroundings.ts";
import { selectSandbox } from "../../../core/sandbox/select_sandbox.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

/** Backends that this machine has, so that they can be run. */
export const BACKENDS: readonly UsableBackend[] = await availableBackends();

/** A machine with a workspace, folders of Alisio, and folders that are none of its business. */
export interface SandboxWorld {
  /** The folder that holds everything. */
  readonly root: string;
  /** The workspace, a repository with one commit. */
  readonly workspace: string;
  /** The environment of Alisio. */
  readonly env: Readonly<Record<string, string>>;
  /** What the run says of its programs. */
  readonly surroundings: SandboxSurroundings;
}

/**
 * Calls `fn` with a new world and removes it afterwards.
 *
 * @param fn Receives the world.
 */
export async function withSandboxWorld(
  fn: (world: SandboxWorld) => Promise<void>,
): Promise<void> {
  await withTempDir(async (root) => {
    await writeTree(root, {
      "ws/a.txt": "alpha\n",
      "ws/secrets/key": "key\n",
      "ws/.env": "TOKEN=1\n",
      "ws/nested/deep/key": "key\n",
      "ws/nested/open.txt": "open\n",
      "outside/secret": "secret\n",
      "reference/doc": "doc\n",
      "drop/old": "old\n",
      "config/config.json": "{}\n",
      "state/sessions.sqlite": "sessions\n",
      "home/.gitconfig": "[user]\n\tname = Ada\n\temail = ada@example.invalid\n",
      "home/.ssh/id": "id\n",
      "home/tool/bin/hello": "#!/bin/sh\ncat $(dirname $0)/../share/text\n",
      "home/tool/share/text": "hello\n",
    });
    await Deno.chmod(join(root, "home/tool/bin/hello"), 0o755);
    const workspace = join(root, "ws");
    await Deno.symlink(join(root, "outside"), join(workspace, "link"));
    const home = join(root, "home");
    const env = { ...Deno.env.toObject(), HOME: home };
    for (const args of [["init", "-q"], ["add", "a.txt"], ["commit", "-qm", "x"]]) {
      const { success } = await new Deno.Command("git", { args, cwd: workspace, env }).output();
      if (!success) throw new Error(`git ${args[0]} failed`);
    }
    const path = `${home}/tool/bin:${env["PATH" as keyof typeof env] ?? ""}`;
    await fn({
      root,
      workspace,
      env: { ...env, PATH: path },
      surroundings: {
        workspace,
        roots: [
          { path: workspace, access: "read-write" },
          { path: join(root, "reference"), access: "read-only" },
          { path: join(root, "drop"), access: "write-only" },
        ],
        possible: { write: true, external: false },
        forbidden: [
          ...["secrets", ".env", "nested/deep", "later", "link"].map((name) =>
            join(workspace, name)
          ),
          // What a profile closes by default, and something below it.
          ...["/etc", "/usr", "/bin", "/lib", "/home", "/root", "/tmp", "/usr/bin", "/usr/lib"],
          "/etc/group",
        ],
        homes: [join(root, "config"), join(root, "state")],
        secret: [],
        path,
        home,
      },
    });
  });
}

/**
 * Opens a sandbox for a world.
 *
 * @param backend What enforces it.
 * @param world The world.
 * @param changes What the run says otherwise.
 */
export async function openInWorld(
  backend: UsableBackend,
  world: SandboxWorld,
  changes: Partial<SandboxSurroundings> = {},
): Promise<Sandbox> {
  const { sandbox } = await bindSandbox({
    wish: { profile: null, configured: backend },
    surroundings: { ...world.surroundings, ...changes },
    env: world.env,
    stateHome: join(world.root, "state"),
  });
  if (sandbox === null) throw new Error("There is no sandbox");
  return sandbox;
}

/**
 * Runs a line of bash in a sandbox.
 *
 * @param sandbox The sandbox.
 * @param world Its world.
 * @param script The line.
 * @param changes How it is run otherwise.
 */
export async function bash(
  sandbox: Pick<Sandbox, "run">,
  world: SandboxWorld,
  script: string,
  changes: Partial<CommandSpec> = {},
): Promise<CommandOutcome> {
  return await sandbox.run({
    program: "bash",
    args: ["-c", script],
    cwd: world.workspace,
    env: { ...childEnvironment(world.env), OUT: join(world.root, "outside"), ROOT: world.root },
    timeoutMs: 30_000,
    killGraceMs: 500,
    signal: new AbortController().signal,
    findEscaped: true,
    ...changes,
  });
}

async function availableBackends(): Promise<readonly UsableBackend[]> {
  const probes = createSandboxProbes(Deno.env.toObject(), "/nowhere");
  const all: readonly UsableBackend[] = ["bubblewrap", "landlock", "sandbox-exec"];
  const found = await Promise.all(all.map((backend) => selectSandbox(backend, probes)));
  return all.filter((_, index) => found[index]?.status === "chosen");
}
