/**
 * Shows the main job without a key: `alisio run` and `alisio resume` on this repository.
 *
 * Only the model is scripted (`script.json`). The command line, the permissions, the tools, the
 * files, the programs and the session database are the real ones.
 *
 * @module
 */
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MODEL = "scripted/examples/demo/script.json";
const REPORT = "examples/demo/output/report.md";
const PROMPT = "Find where the plugin contract defines a tool and write a short report";
const FOLLOW_UP = "Is the report final?";
const PERMISSIONS = ["--allow-write", "--allow-process"];

Deno.exitCode = await runDemo();

async function runDemo(): Promise<number> {
  const home = await Deno.makeTempDir({ prefix: "alisio-demo-" });
  await Deno.remove(`${ROOT}/${REPORT}`).catch(ignoreMissing);
  await print(
    "This demonstration works on this repository with the real tools and a real session\n" +
      `database. Only the model is scripted: ${
        MODEL.replace("scripted/", "")
      } says what it answers.\n`,
  );
  const run = ["run", "--model", MODEL, ...PERMISSIONS, PROMPT];
  if (!await alisio(run, home)) return 1;
  const session = await latestSession(home);
  if (session === null) return 1;
  if (!await alisio(["resume", session, ...PERMISSIONS, FOLLOW_UP], home)) return 1;
  const report = await Deno.readTextFile(`${ROOT}/${REPORT}`);
  await print(
    `\nThe report:\n\n${
      report.replaceAll(/^(?=.)/gm, "  ")
    }\nReport    ${REPORT}\nSession   ${session}\nDatabase  ${home}/state/sessions.sqlite\n` +
      "\nThe database is in a temporary folder. Show the session with:\n" +
      `  deno task start sessions show ${session} --db ${home}/state/sessions.sqlite\n`,
  );
  return 0;
}

/** Runs the command line in front of the reader. */
async function alisio(args: readonly string[], home: string): Promise<boolean> {
  await print(`\n$ alisio ${args.map(shown).join(" ")}\n`);
  const { success } = await commandOf(args, home, "inherit").spawn().status;
  if (!success) await print("\nThe demonstration failed; the lines above say why\n");
  return success;
}

async function latestSession(home: string): Promise<string | null> {
  const { success, stdout } = await commandOf(["sessions", "list", "--json"], home, "piped")
    .output();
  const [first] = new TextDecoder().decode(stdout).split("\n");
  const session: unknown = success && first ? JSON.parse(first) : null;
  if (typeof session === "object" && session !== null && "id" in session) {
    return String(session.id);
  }
  await print("\nThe demonstration failed: the session was not stored\n");
  return null;
}

/** A command of this checkout, which sees neither the reader's configuration nor their sessions. */
function commandOf(
  args: readonly string[],
  home: string,
  stdout: "inherit" | "piped",
): Deno.Command {
  const kept = Object.entries(Deno.env.toObject())
    .filter(([name]) => !/^(?:ALISIO|OPENAI)_/.test(name));
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "cli.ts", ...args],
    cwd: ROOT,
    clearEnv: true,
    env: {
      ...Object.fromEntries(kept),
      ALISIO_CONFIG_HOME: `${home}/config`,
      ALISIO_STATE_HOME: `${home}/state`,
    },
    stdin: "null",
    stdout,
    stderr: "inherit",
  });
}

function shown(word: string): string {
  return /^[\w./:=-]+$/.test(word) ? word : JSON.stringify(word);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

async function print(text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let done = 0; done < bytes.length;) done += await Deno.stdout.write(bytes.subarray(done));
}
