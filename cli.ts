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
    // The code of the usual commands is read while the command line is still being understood.
    const [{ main }] = await Promise.all([
      import("./cli/main.ts"),
      first === "run" ? import("./cli/run.ts") : undefined,
      first === "resume" ? import("./cli/resume.ts") : undefined,
    ]);
    Deno.exit(await main(Deno.args));
  }
}
