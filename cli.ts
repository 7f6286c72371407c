/**
 * The command line of Alisio.
 *
 * This file does as little as possible: it answers `--version` by itself and loads the rest only
 * when there is something to do.
 *
 * @module
 */
import { VERSION } from "./core/version.ts";

if (import.meta.main) {
  const [first, ...rest] = Deno.args;
  if (first === "enter-sandbox" && Deno.build.standalone) {
    const { enterLandlock } = await load<typeof import("./core/sandbox/landlock_entry.ts")>(
      "./core/sandbox/landlock_entry.ts",
    );
    enterLandlock(rest);
  } else if (first === "enter-snippet" && Deno.build.standalone) {
    const { enterSnippet } = await load<typeof import("./tools/execute/snippet_starter.ts")>(
      "./tools/execute/snippet_starter.ts",
    );
    await enterSnippet();
  } else if ((first === "--version" || first === "-V") && rest.length === 0) {
    printVersion();
  } else {
    Deno.exit(await start());
  }
}

async function start(): Promise<number> {
  const runHere = async () => await (await loadMain()).main(Deno.args);
  // What works for a model or loads plugins is limited; whether this is it, the launcher finds out.
  const mayBeRun = ["run", "resume", "plugins"].some((name) => Deno.args.includes(name)) ||
    mayBeConversation(Deno.args);
  if (!mayBeRun) return await runHere();
  const { launchRun } = await load<typeof import("./cli/launcher.ts")>("./cli/launcher.ts");
  return await launchRun(Deno.args, runHere);
}

/** What may open the whole screen draws its first frame before the rest is loaded. */
async function loadMain(): Promise<{ main(argv: readonly string[]): Promise<number> }> {
  return mayBeConversation(Deno.args) || Deno.args.includes("resume")
    ? await load<typeof import("./cli/screen_entry.ts")>("./cli/screen_entry.ts")
    : await load<typeof import("./cli/main.ts")>("./cli/main.ts");
}

/** A command comes first as a rule, and without one there is a conversation at a terminal. */
function mayBeConversation([first]: readonly string[]): boolean {
  return (first === undefined || first.startsWith("-")) && Deno.stdin.isTerminal();
}

function printVersion(): void {
  try {
    Deno.stdout.writeSync(new TextEncoder().encode(`${VERSION}\n`));
  } catch {
    // Nobody can read it: a closed pipe or a full disk.
    Deno.exit(1);
  }
}

/**
 * Imports a module of this package. The runtime reads every module that an import names in plain
 * text before it starts the program, needed or not; it does not look through a computed one.
 */
function load<T>(path: string): Promise<T> {
  return import(new URL(path, import.meta.url).href);
}
