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
  if ((first === "--version" || first === "-V") && rest.length === 0) {
    printVersion();
  } else {
    const { main } = await load<typeof import("./cli/main.ts")>("./cli/main.ts");
    Deno.exit(await main(Deno.args));
  }
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
