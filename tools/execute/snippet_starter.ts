import type { ExecuteSettings } from "../../core/config/configuration.ts";
import { dirname } from "../../core/paths/path.ts";
import { runtimeCache } from "../../core/wall/warm_up.ts";
import { runSnippetChild } from "./snippet_child.ts";
import { createWorld } from "./snippet_world.ts";

/** How a program is started that runs one snippet. */
export interface SnippetStarter {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** First argument of a compiled binary that is to run a snippet. */
export const SNIPPET_ARGUMENT = "enter-snippet";

/** What the runtime itself takes of the memory that the system counts. */
const OWN_MEMORY_MB = 96;
/** What it takes where it compiles to machine code, which a compiled binary cannot be kept from. */
const OWN_COMPILED_MEMORY_MB = 640;

/** Takes limits of memory and computing time on, as far as there are any, and becomes the program. */
const LIMIT_SCRIPT = 'ulimit -c 0; ulimit -d "$1"; ulimit -t "$2"; shift 2; exec "$@"';

/**
 * How the process of a snippet is started: the runtime without any permission, configuration,
 * package or module from elsewhere, and without compiling to machine code, which takes the most
 * common way out of a JavaScript engine away. Its program is in its arguments, since there need be no
 * file beside the source.
 *
 * @param env The environment of this process.
 * @param limits Its time and its memory.
 */
export function snippetStarter(
  env: Readonly<Record<string, string | undefined>>,
  { timeoutMs, maxMemoryMb }: Pick<ExecuteSettings, "timeoutMs" | "maxMemoryMb">,
): SnippetStarter {
  const runtime = Deno.execPath();
  const words = Deno.build.standalone ? [runtime, SNIPPET_ARGUMENT] : [
    ...[runtime, "run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-remote"],
    ...["--no-npm", "--cached-only", "--deny-import"],
    `--v8-flags=${
      [
        `--max-old-space-size=${maxMemoryMb}`,
        "--jitless",
        "--disallow-code-generation-from-strings",
      ]
        .join(",")
    }`,
    childModule(),
  ];
  const cache = runtimeCache(env);
  const own = {
    NO_COLOR: "1",
    DENO_NO_UPDATE_CHECK: "1",
    DENO_NO_PACKAGE_JSON: "1",
    ...(cache === null ? {} : { DENO_DIR: cache }),
  };
  if (Deno.build.os === "windows") {
    const root = env["SYSTEMROOT"] ?? env["SystemRoot"] ?? "C:\\Windows";
    const [program = runtime, ...args] = words;
    return { program, args, cwd: dirname(runtime), env: { ...own, SYSTEMROOT: root } };
  }
  const ownMb = Deno.build.standalone ? OWN_COMPILED_MEMORY_MB : OWN_MEMORY_MB;
  // Nobody would end a loop whose Alisio was killed; several threads may work at once.
  const limitSeconds = 2 + 2 * Math.ceil(timeoutMs / 1_000);
  const limitKb = (ownMb + 2 * maxMemoryMb) * 1024;
  return {
    program: "/bin/sh",
    args: ["-c", LIMIT_SCRIPT, "sh", String(limitKb), String(limitSeconds), ...words],
    cwd: "/",
    env: own,
  };
}

/**
 * Runs a snippet in this very process, which gives up every permission before. For a compiled binary
 * that was started for nothing else.
 */
export async function enterSnippet(): Promise<void> {
  for (const name of ["read", "write", "net", "env", "sys", "run", "ffi", "import"] as const) {
    await Deno.permissions.revoke({ name });
  }
  await runSnippetChild(await import("node:vm"), String(createWorld));
}

function childModule(): string {
  const text = `import * as vm from "node:vm";(${runSnippetChild})(vm,${
    JSON.stringify(String(createWorld))
  });`;
  return `data:text/javascript,${encodeURIComponent(text)}`;
}
