import type { Application } from "../core/application.ts";
import { AlisioError } from "../core/errors.ts";
import { visibleLines, visibleName } from "../core/process/visible_text.ts";
import type { ConnectDesk, ProfileSummary } from "../core/provider/connect_desk.ts";
import type { ConnectAsker } from "../core/provider/connect_asker.ts";
import {
  type Connected,
  type ConnectFlowPorts,
  connectProvider,
  type ConnectRequest,
} from "../core/provider/connect_flow.ts";
import { type FormValues, parseTokens } from "../core/provider/connect_form.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { jsonLine } from "./json_line.ts";
import { openApplication } from "./open_application.ts";

/** No key is longer. */
const MAX_KEY_BYTES = 16_384;

/** Whoever has one of these works on another machine than the one in front of them. */
const REMOTE_VARIABLES = ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"] as const;

/**
 * `alisio connect`: connects a provider and makes it the active one, lists what is connected, or
 * removes one.
 *
 * @param context What the command was called with.
 * @returns The exit status.
 * @throws {AlisioError} If the command line is wrong, nobody was signed in, or nothing could be
 * stored.
 */
export async function runConnect(context: CommandContext): Promise<number> {
  const action = readAction(context);
  const application = await openApplication(withoutProvider(context));
  try {
    const desk = await application.connectDesk();
    switch (action.kind) {
      case "list":
        list(context, await desk.summaries());
        break;
      case "remove":
        await remove(context, desk, action.profile);
        break;
      case "connect":
        report(context, await connect(context, application, action.request));
        break;
      default:
        action satisfies never;
    }
    return EXIT_STATUS.completed;
  } finally {
    await application.close();
  }
}

/** What is connected is not what the configuration would use in its place. */
function withoutProvider(context: CommandContext): CommandContext {
  const { model: _, baseUrl: __, apiMode: ___, ...flags } = context.flags;
  return { ...context, flags };
}

type Action =
  | { readonly kind: "list" }
  | { readonly kind: "remove"; readonly profile: string }
  | { readonly kind: "connect"; readonly request: ConnectRequest };

function readAction(context: CommandContext): Action {
  const { args, commandFlags } = context;
  const [provider, extra] = args;
  if (extra !== undefined) {
    throw new AlisioError("usage", `Unexpected argument "${extra.slice(0, 80)}"`);
  }
  const { list: lists, remove: removed } = commandFlags;
  const isAlone = provider === undefined && Object.keys(commandFlags).length === 1;
  if (lists === true || typeof removed === "string") {
    if (!isAlone) {
      throw new AlisioError("usage", "Write --list, or --remove with a profile, alone");
    }
    return typeof removed === "string" ? { kind: "remove", profile: removed } : { kind: "list" };
  }
  return { kind: "connect", request: readRequest(context, provider) };
}

function readRequest(
  { flags, commandFlags }: CommandContext,
  provider: string | undefined,
): ConnectRequest {
  const text = (name: string): string | undefined => {
    const value = commandFlags[name];
    return typeof value === "string" ? value : undefined;
  };
  const profile = text("profile");
  const signIn = text("sign-in");
  const contextWindow = readWindow(text("context-window"));
  return {
    ...(provider === undefined ? {} : { provider }),
    ...(profile === undefined ? {} : { profile }),
    ...(flags.model === undefined ? {} : { model: flags.model }),
    ...(signIn === undefined ? {} : { signIn }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    values: {
      ...readSettings(commandFlags["set"]),
      ...(flags.baseUrl === undefined ? {} : { baseURL: flags.baseUrl }),
      ...(flags.apiMode === undefined ? {} : { apiMode: flags.apiMode }),
      ...(text("api-key-env") === undefined ? {} : { apiKeyEnv: text("api-key-env") ?? "" }),
    },
  };
}

function readWindow(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const tokens = parseTokens(text);
  if (tokens !== null) return tokens;
  throw new AlisioError(
    "usage",
    'Flag "--context-window" must be a number of tokens, such as 128000 or 128k',
  );
}

function readSettings(given: CommandContext["commandFlags"][string] | undefined): FormValues {
  const list = Array.isArray(given) ? given : [];
  return Object.fromEntries(list.map((setting: string) => {
    const equals = setting.indexOf("=");
    if (equals < 1) throw new AlisioError("usage", 'Flag "--set" takes NAME=VALUE');
    const name = setting.slice(0, equals);
    if (name === "apiKey") {
      throw new AlisioError(
        "usage",
        "A key on the command line can be seen by others: name its variable with --api-key-env, " +
          "or pass it on standard input with --api-key-stdin",
      );
    }
    return [name, setting.slice(equals + 1)];
  }));
}

async function connect(
  context: CommandContext,
  application: Application,
  request: ConnectRequest,
): Promise<Connected> {
  const { env, flags, commandFlags } = context;
  const fromInput = commandFlags["api-key-stdin"] === true;
  const apiKey = fromInput ? await readKey(context.signal) : undefined;
  const withKey: ConnectRequest = apiKey === undefined
    ? request
    : { ...request, values: { ...request.values, apiKey } };
  const desk = await application.connectDesk();
  const run = (
    asker: ConnectAsker | null,
    say: ConnectFlowPorts["say"],
    signal: AbortSignal,
  ): Promise<Connected> =>
    connectProvider({
      desk,
      asker,
      say,
      hasBrowser: REMOTE_VARIABLES.every((name) => (env[name] ?? "") === ""),
      signal,
    }, withKey);
  const atTerminal = Deno.stdin.isTerminal() && Deno.stdout.isTerminal();
  // Whoever names the model has nothing left that must be asked.
  if (!atTerminal || flags.json || fromInput || flags.model !== undefined) {
    return await run(null, (text) => context.err(`${visibleLines(text)}\n`), context.signal);
  }
  const [{ withDialogue }, { LinesAsker }] = await Promise.all([
    import("./talk/with_dialogue.ts"),
    import("./connect/lines_asker.ts"),
  ]);
  return await withDialogue(context, async (ports, signal) => {
    const asker = new LinesAsker(ports, signal);
    return await run(asker, (text) => asker.say(text), signal);
  });
}

/** The whole input, so that a key need not stand in a variable or a file. */
async function readKey(signal: AbortSignal): Promise<string> {
  if (Deno.stdin.isTerminal()) {
    throw new AlisioError("usage", "--api-key-stdin reads a pipe or a file, not a terminal");
  }
  const reader = Deno.stdin.readable.getReader();
  const stop = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  try {
    const decoder = new TextDecoder();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      text += decoder.decode(value, { stream: !done });
      if (text.length > MAX_KEY_BYTES) {
        throw new AlisioError("usage", "What came on standard input is too long for a key");
      }
      if (done) break;
    }
    if (text.trim() !== "") return text;
    throw new AlisioError("usage", "No key came on standard input");
  } finally {
    signal.removeEventListener("abort", stop);
    reader.releaseLock();
  }
}

function list({ flags, out, err }: CommandContext, profiles: readonly ProfileSummary[]): void {
  if (flags.json) return out(jsonLine({ schemaVersion: 1, type: "profiles", data: { profiles } }));
  if (profiles.length === 0) {
    if (!flags.quiet) err("No provider is connected; run alisio connect\n");
    return;
  }
  const rows = profiles.map(({ profile, provider, baseURL, model, key }) => [
    model === undefined ? " " : "*",
    profile,
    visibleName(baseURL ?? provider),
    KEYS[key],
    model === undefined ? "" : visibleName(model),
  ]);
  const widths = [0, 1, 2, 3].map((at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  for (const row of rows) {
    out(`${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ").trimEnd()}\n`);
  }
}

const KEYS: Readonly<Record<ProfileSummary["key"], string>> = {
  stored: "key stored",
  set: "key in variable",
  missing: "key missing",
  withheld: "key withheld",
  not_needed: "no key",
  signed_in: "signed in",
  signed_out: "signed out",
  plugin_missing: "plugin missing",
};

async function remove(context: CommandContext, desk: ConnectDesk, profile: string): Promise<void> {
  const wasActive = await desk.remove(profile);
  const { flags, out, err } = context;
  if (flags.json) {
    return out(jsonLine({ schemaVersion: 1, type: "profile_removed", data: { profile } }));
  }
  out(`Profile "${profile}" is removed, with its key or session\n`);
  if (wasActive && !flags.quiet) err("It was the active one; choose another with alisio connect\n");
}

function report({ flags, out }: CommandContext, connected: Connected): void {
  if (flags.json) return out(jsonLine({ schemaVersion: 1, type: "connect", data: connected }));
  const { profile, model } = connected;
  out(`Connected: new sessions use ${visibleName(`${profile}/${model}`)}\n`);
}
