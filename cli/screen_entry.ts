/**
 * The process of a conversation on the whole screen. It draws the first frame and takes keys before
 * it loads the rest of the program, which is why it imports so little in a static way.
 *
 * @module
 */
import { followLauncher } from "../core/wall/launcher_link.ts";
import { FirstScreen } from "../tui/first/first_screen.ts";
import { LIBRARY_PIECES, loadInPieces } from "../tui/first/load_in_pieces.ts";
import { opensScreen } from "./opens_screen.ts";

if (import.meta.main) {
  followLauncher();
  Deno.exit(await main(Deno.args));
}

/**
 * Runs a command line that may open the whole screen, with the permissions that the process has.
 *
 * @param argv Arguments after the program's name.
 * @returns The exit status.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const env = Deno.env.toObject();
  if (!opensScreen(argv, env)) return await (await import("./main.ts")).main(argv);
  const first = new FirstScreen(env);
  first.open();
  try {
    await loadInPieces([
      () => import("./program.ts"),
      ...LIBRARY_PIECES,
      () => import("./full_screen.ts"),
    ]);
    const { runProgram } = await import("./program.ts");
    return await runProgram(argv, async (_, context) => {
      try {
        return await (await import("./talk.ts")).runTalk(context, first);
      } finally {
        // What failed is said on the terminal as it was.
        first.close();
      }
    });
  } finally {
    first.close();
  }
}
