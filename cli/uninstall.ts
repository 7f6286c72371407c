import { configHome } from "../core/config/directories.ts";
import { quoted } from "../core/config/quoted.ts";
import { AlisioError } from "../core/errors.ts";
import { uninstallPlugin } from "../core/plugins/install/install_plugin.ts";
import {
  findPresent,
  forgetPlugin,
  recoverInstallation,
} from "../core/plugins/install/installed_plugins.ts";
import { isPackageName } from "../core/plugins/install/install_spec.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { assertMayInstall, installOptions, noticesOf } from "./install.ts";
import { jsonLine } from "./json_line.ts";

/**
 * `alisio uninstall`: removes a plugin that was installed, and its place in the configuration.
 *
 * @param context What the command was called with.
 * @returns The exit status.
 * @throws {AlisioError} If the command line is wrong, there is no such plugin, or it cannot be
 * removed.
 */
export async function runUninstall(context: CommandContext): Promise<number> {
  const [text, extra] = context.args;
  const name = text?.replace(/^npm:/, "");
  if (name === undefined || extra !== undefined || !isPackageName(name)) {
    throw new AlisioError("usage", "Write alisio uninstall <package>, the name alone");
  }
  assertMayInstall(context);
  const home = configHome(context.env);
  await recoverInstallation(home, noticesOf(context));
  const present = await findPresent(home, name);
  if (present === null) {
    if (!await forgetPlugin(home, name)) {
      throw new AlisioError(
        "usage",
        `Cannot uninstall ${quoted(name)}: it is not installed; see alisio plugins list`,
      );
    }
    noticesOf(context)("It was not installed, only named in your configuration");
  } else {
    await uninstallPlugin(name, {
      ...installOptions(context),
      retry: `alisio uninstall ${name}`,
    });
  }
  if (context.flags.json) {
    context.out(jsonLine({ schemaVersion: 1, type: "uninstall", data: { name } }));
  } else context.out(`Plugin ${quoted(name)} is removed\n`);
  return EXIT_STATUS.completed;
}
