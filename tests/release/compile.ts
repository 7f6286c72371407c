/**
 * Compiles the binaries of a release into `dist`, with their checksums. Without a name of a system
 * it compiles for all of them.
 *
 * The compiler downloads the runtime of each system once, unless `DENORT_BIN` names the one of the
 * only system.
 *
 * @module
 */
import { join } from "node:path";
import { ROOT } from "../support/paths.ts";
import { compileProgram } from "./compile_program.ts";
import { parseTarget, TARGETS } from "./targets.ts";

const named = Deno.args.map(parseTarget);
await compileProgram({
  targets: named.length === 0 ? TARGETS : named,
  folder: join(ROOT, "dist"),
  onCompiled: (path) => void Deno.stdout.writeSync(new TextEncoder().encode(`${path}\n`)),
});
