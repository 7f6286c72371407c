import { textResult, type ToolResult } from "@alisio/sdk";
import { AlisioError } from "../core/errors.ts";
import { formatPackage, parseInstallSpec } from "../core/plugins/install/install_spec.ts";
import { CommandError } from "../core/process/command_error.ts";
import { type CommandOutcome, runCommand } from "../core/process/run_command.ts";
import { isSecretName } from "../core/secret_names.ts";
import type { HostTool, HostToolContext } from "../core/tools/host_tool.ts";
import type { CommandPorts } from "./_command_ports.ts";
import { jsonResult } from "./_json_result.ts";
import { PLUGIN_INSTALL } from "./tool_definitions.ts";

/** What `plugin_install` is given. */
export interface PluginInstallPorts extends Pick<CommandPorts, "createRedactor" | "sandbox"> {
  /** The words that start this program; a command and its flags follow. */
  readonly program: readonly [string, ...string[]];
  /** Environment variables of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** The person's configuration file. */
  readonly config: string;
}

/** Longer than npm may take, so that the reason for a failure is known. */
const TIMEOUT_MS = 660_000;
/** What was changed has to be put back. */
const KILL_GRACE_MS = 10_000;

const TRUST_NOTE = "The plugin runs as the person's own trusted code from the next start on, in " +
  "every project; --read-only keeps it from loading. alisio plugins doctor shows what it registers.";

/**
 * Creates `plugin_install`: `alisio install`, started as a program of its own, because this process
 * may not write where plugins are installed.
 *
 * @param ports How the program is started.
 */
export function createPluginInstallTool(ports: PluginInstallPorts): HostTool {
  return {
    ...PLUGIN_INSTALL,
    execute: (input, context) => installPlugin(ports, input, context),
  };
}

async function installPlugin(
  ports: PluginInstallPorts,
  input: Record<string, unknown>,
  context: HostToolContext,
): Promise<ToolResult> {
  const { program: [program, ...words] } = ports;
  try {
    const spec = parseInstallSpec(String(input["spec"]));
    if (spec.kind === "file") {
      return textResult(
        "Cannot install a plugin from a file: only packages of npm are installed here; ask the " +
          "person to run alisio install with that file",
        true,
      );
    }
    const wanted = formatPackage(spec.name, spec.version);
    const sandbox = ports.sandbox?.() ?? null;
    if (sandbox !== null) {
      return textResult(
        "Cannot install a plugin: programs of this run are kept from the person's configuration; " +
          `ask the person to run: alisio install ${wanted}`,
        true,
      );
    }
    const outcome = await runCommand({
      program,
      args: [...words, "install", "--yes", "--json", "--quiet", "--", wanted],
      cwd: context.workspace,
      env: ownEnvironment(ports.env),
      timeoutMs: TIMEOUT_MS,
      killGraceMs: KILL_GRACE_MS,
      signal: context.signal,
      createRedactor: ports.createRedactor,
      findEscaped: true,
      title: "alisio install",
    });
    return resultOf(outcome, wanted, ports.config);
  } catch (error) {
    if (!(error instanceof AlisioError || error instanceof CommandError)) throw error;
    return textResult(error.message, true);
  }
}

/** The child is Alisio itself; it needs no key of a model, and starts nothing that does. */
function ownEnvironment(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) =>
      !/^(?:LD_|DYLD_)/.test(name) && (!isSecretName(name) || /^(?:npm_|node_auth_)/i.test(name))
    ),
  );
}

interface InstallLine {
  readonly action: string;
  readonly plugins: readonly { readonly name: string; readonly version: string; path: string }[];
  readonly scriptsLeftOut: readonly unknown[];
}

function resultOf(outcome: CommandOutcome, wanted: string, config: string): ToolResult {
  const data = lineOf(outcome.stdout, "install") as InstallLine | undefined;
  const [plugin] = data?.plugins ?? [];
  if (outcome.exitCode !== 0 || data === undefined || plugin === undefined) {
    const failure = lineOf(outcome.stdout, "error") as { readonly error?: unknown } | undefined;
    const reason = typeof failure?.error === "string"
      ? failure.error
      : `Cannot install ${JSON.stringify(wanted)}: it was ${
        outcome.endedBy === "exit" ? "ended" : "stopped"
      } before it was done; everything is as it was before`;
    return textResult(reason, true);
  }
  return jsonResult({
    package: plugin.name,
    version: plugin.version,
    ...(data.action === "present" ? { alreadyInstalled: true } : {}),
    entry: plugin.name,
    config,
    path: plugin.path,
    ...(data.scriptsLeftOut.length === 0 ? {} : { scriptsLeftOut: data.scriptsLeftOut }),
    note: TRUST_NOTE,
  });
}

/** The data of the line of a type; what another version prints besides is no concern of the tool. */
function lineOf(output: string, type: string): unknown {
  for (const line of output.split("\n")) {
    try {
      const value = JSON.parse(line);
      if (value.type === type) return value.data;
    } catch {
      // No line of the protocol.
    }
  }
  return undefined;
}
