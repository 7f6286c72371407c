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
    Deno.stdout.writeSync(new TextEncoder().encode(`${VERSION}\n`));
  } else {
    const { main } = await import("./cli/main.ts");
    Deno.exit(await main(Deno.args));
  }
}
