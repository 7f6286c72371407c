import { fillGeneratedBlocks, findGeneratedBlocks } from "./generated_blocks.ts";
import { DENO, ROOT } from "./paths.ts";
import { fillCommandTable } from "./slash_command_table.ts";

/** A page, and what it should be. */
export interface GeneratedPage {
  /** Relative to the repository root. */
  readonly path: string;
  /** What it is. */
  readonly current: string;
  /** What it should be. */
  readonly wanted: string;
}

/** Lists the README and every page of `docs/`, relative to the repository root. */
export async function listPages(): Promise<readonly string[]> {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "README.md", "docs/*.md"];
  return (await outputOf("git", args)).split("\n").filter((name) => name !== "");
}

/** Makes every page anew from what the commands print now. */
export async function generatePages(): Promise<readonly GeneratedPage[]> {
  return await Promise.all((await listPages()).map(async (path) => {
    const current = await Deno.readTextFile(`${ROOT}/${path}`);
    const outputs = await Promise.all(
      findGeneratedBlocks(current).map((block) =>
        outputOf(DENO, ["run", "-A", "cli.ts", ...block.args])
      ),
    );
    const wanted = fillCommandTable(fillGeneratedBlocks(current, outputs));
    return { path, current, wanted };
  }));
}

async function outputOf(command: string, args: readonly string[]): Promise<string> {
  const env = { NO_COLOR: "1" };
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    cwd: ROOT,
    env,
  }).output();
  if (success) return new TextDecoder().decode(stdout);
  const reason = new TextDecoder().decode(stderr).slice(0, 500);
  throw new Error(`Cannot run "${args.slice(0, 6).join(" ")}": ${reason}`);
}
