/**
 * A process of its own that runs a command in a sandbox and prints its output as it comes. Takes
 * the backend, the folder of the world, and a line of bash.
 *
 * @module
 */
import { join } from "node:path";
import type { UsableBackend } from "../../../core/sandbox/sandbox_backend.ts";
import { bash, openInWorld } from "./_world.ts";

const [backend = "", root = "", script = ""] = Deno.args;
const workspace = join(root, "ws");
const env = Deno.env.toObject();
const world = {
  root,
  workspace,
  env,
  surroundings: {
    workspace,
    roots: [{ path: workspace, access: "read-write" as const }],
    possible: { write: true, external: false },
    forbidden: [],
    homes: [join(root, "state")],
    secret: [],
    path: env["PATH"] ?? "",
    home: env["HOME"] ?? null,
  },
};
const sandbox = await openInWorld(backend as UsableBackend, world);
await bash(sandbox, world, script, {
  timeoutMs: 60_000,
  onOutput: (bytes) => void Deno.stdout.writeSync(bytes),
});
