import { quoted } from "../core/config/quoted.ts";
import { AlisioError, errorMessage } from "../core/errors.ts";
import { basename, dirname, join, resolve } from "../core/paths/path.ts";
import { PLUGIN_ID_REGEXP } from "../core/plugins/check_plugin.ts";
import { VERSION } from "../core/version.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { HERDR_PLUGIN } from "./herdr.ts";
import { jsonLine } from "./json_line.ts";
import { BUILTIN_PLUGINS, MEMORY_PLUGIN } from "./open_application.ts";
import { pluginFiles, type PluginTemplate } from "./plugin_template.ts";

/**
 * `alisio plugins new <folder>`: writes a plugin that works, with tests, into a folder that is new
 * or empty.
 *
 * @param context What the command was called with.
 * @returns The exit status.
 * @throws {AlisioError} `usage` if the folder holds something, the id is malformed or taken, or
 * nothing may be written; `workspace_invalid` if the folder cannot be written to.
 */
export async function newPlugin(context: CommandContext): Promise<number> {
  const { args: [, given, extra], flags, commandFlags } = context;
  if (given === undefined || extra !== undefined) {
    throw new AlisioError("usage", "Name one folder: alisio plugins new <folder>");
  }
  if (flags.readOnly) {
    throw new AlisioError("usage", 'Cannot write a plugin: "--read-only" was given');
  }
  const folder = resolve(context.cwd, given);
  const slug = slugOf(basename(folder));
  const id = typeof commandFlags.id === "string" ? commandFlags.id : `local.${slug}`;
  if (!PLUGIN_ID_REGEXP.test(id)) {
    throw new AlisioError(
      "usage",
      `Cannot make a plugin with the id ${quoted(id)}: an id has 1 to 64 lowercase letters, ` +
        "digits, dots and hyphens, such as acme.hello",
    );
  }
  if ([...BUILTIN_PLUGINS.map((plugin) => plugin.id), HERDR_PLUGIN, MEMORY_PLUGIN].includes(id)) {
    throw new AlisioError(
      "usage",
      `Cannot make a plugin with the id ${
        quoted(id)
      }: it is the one of a built-in plugin; choose ` +
        "another one, such as acme.hello",
    );
  }
  const files = pluginFiles({ id, packageName: `alisio-plugin-${slug}`, ...programParts() });
  await assertEmpty(folder);
  await writeFiles(folder, files);
  sayWritten(context, folder, id, Object.keys(files));
  return EXIT_STATUS.completed;
}

/** In a checkout a plugin is tested against it; otherwise against what is published. */
function programParts(): Pick<PluginTemplate, "sdk" | "alisio"> {
  const range = `@^${VERSION}`;
  const sdk = { contract: `jsr:@alisio/sdk${range}`, testing: `jsr:@alisio/sdk${range}/testing` };
  if (Deno.build.standalone) return { sdk, alisio: [Deno.execPath()] };
  const { dirname: here } = import.meta;
  if (here === undefined) {
    // Whatever the folder of the plugin configures is not for Alisio.
    const start = ["deno", "run", "-A", "--no-config", "--node-modules-dir=none"];
    return { sdk, alisio: [...start, `jsr:@alisio/cli${range}`] };
  }
  const addressOf = (path: string) => new URL(`../sdk/${path}`, import.meta.url).href;
  return {
    sdk: { contract: addressOf("mod.ts"), testing: addressOf("testing.ts") },
    alisio: ["deno", "run", "-A", "--config", join(here, "../deno.json"), join(here, "../cli.ts")],
  };
}

function slugOf(name: string): string {
  const slug = name.toLowerCase().replace(/^alisio-plugin-/, "")
    .replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-+|-+$/g, "").slice(0, 40);
  return slug === "" ? "plugin" : slug;
}

async function assertEmpty(folder: string): Promise<void> {
  try {
    for await (const _ of Deno.readDir(folder)) {
      throw new AlisioError(
        "usage",
        `Cannot write a plugin into ${quoted(folder, 1000)}: there is something in it; name a ` +
          "new folder, or an empty one",
      );
    }
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error instanceof AlisioError ? error : notWritten(folder, error);
  }
}

/** All of them or none, so that the same command can be tried again. */
async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const written: string[] = [];
  for (const [path, text] of Object.entries(files)) {
    const target = join(folder, path);
    try {
      await Deno.mkdir(dirname(target), { recursive: true });
      const file = await Deno.open(target, { write: true, createNew: true });
      written.push(target);
      file.close();
      await Deno.writeTextFile(target, text);
    } catch (error) {
      await takeBack(folder, written);
      throw notWritten(target, error);
    }
  }
}

/** Removes files, and the folders that are empty without them. */
async function takeBack(folder: string, files: readonly string[]): Promise<void> {
  const folders = new Set(files.map((file) => dirname(file)));
  for (const path of [...files, ...[...folders].filter((each) => each !== folder)]) {
    await Deno.remove(path).catch(() => {
      // What cannot be removed is not worse than what is being said already.
    });
  }
}

function notWritten(path: string, error: unknown): AlisioError {
  return new AlisioError(
    "workspace_invalid",
    `Cannot write ${quoted(path, 1000)}: ${errorMessage(error)}`,
    { cause: error },
  );
}

function sayWritten(
  { flags, out, err }: CommandContext,
  folder: string,
  id: string,
  files: readonly string[],
): void {
  if (flags.json) {
    out(jsonLine({ schemaVersion: 1, type: "plugin_new", data: { id, folder, files } }));
  } else {
    out(`Wrote plugin ${id} into ${quoted(folder, 1000)}\n`);
  }
  if (flags.quiet) return;
  err(
    "Next, in that folder:\n" +
      "  1. Test it: deno test\n" +
      "  2. See what it registers: alisio plugins doctor --plugin .\n" +
      "  3. Change src/plugin.ts\n",
  );
}
