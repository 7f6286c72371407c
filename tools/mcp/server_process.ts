import { McpError } from "../../core/mcp/mcp_connection.ts";
import { type GuardedGroup, openGroupGuard } from "../../core/process/group_guard.ts";
import { ProcessGroup } from "../../core/process/process_group.ts";
import { type MarkedStart, startMarked } from "../../core/process/process_mark.ts";
import { processStart } from "../../core/process/process_start.ts";
import { settlesWithin } from "../../core/process/settles_within.ts";
import { guardTask, type TaskGuard } from "../../core/tasks/task_guard.ts";

/** How long a program may take to end by itself once its input is closed. */
const CLOSED_INPUT_MS = 300;
/** Time between the request to end and the forced end. */
const KILL_GRACE_MS = 3_000;
/** How long what it left running may take to end politely. */
const LEFTOVER_GRACE_MS = 500;

/** What is started. */
export interface ServerProgram {
  /** Name of the server, for messages. */
  readonly name: string;
  /** Absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** A program that was started, and how it is ended. */
interface Started {
  readonly child: Deno.ChildProcess;
  /**
   * Ends what there is of its group.
   *
   * @param isGone Whether the program itself has ended.
   */
  readonly end: (isGone: boolean) => Promise<void>;
}

/** A server that is a program, in a process group of its own. */
export class ServerProcess {
  /** The streams and the status. */
  readonly child: Deno.ChildProcess;
  readonly #end: Started["end"];
  #stopping: Promise<void> | undefined;

  private constructor({ child, end }: Started) {
    this.child = child;
    this.#end = end;
    this.status = child.status.catch(() => null);
  }

  /** Settles when the program has ended. Null where its status is lost. */
  readonly status: Promise<Deno.CommandStatus | null>;

  /**
   * Starts the program. All that it starts ends with it, also when this process is killed: this
   * process sees to it where it may signal any other, and else the guard that its launcher left for
   * it. Without either only the program itself does, and what it started finds its input closed.
   *
   * @param spec What is started.
   * @throws {McpError} With the code `unreachable` if it cannot be started.
   */
  static async start(spec: ServerProgram): Promise<ServerProcess> {
    const isFree = (await Deno.permissions.query({ name: "run" })).state === "granted";
    try {
      return new ServerProcess(isFree ? startFree(spec) : startGuarded(spec));
    } catch (error) {
      throw await explainStart(spec, error);
    }
  }

  /**
   * Ends the program and all that it started: lets it end by itself first, then asks it to, then
   * forces it. The input must be closed before. Safe to call twice. Never rejects.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    try {
      await this.#end(await settlesWithin(this.status, CLOSED_INPUT_MS));
    } catch {
      // What cannot be ended now ends with this process.
    }
  }
}

/** Where this process may signal any other. */
function startFree(spec: ServerProgram): Started {
  const startedAt = performance.now();
  const marked = startMarked((variable) => spawn(spec, variable));
  const { child } = marked;
  const group = new ProcessGroup(child, {
    mark: marked,
    cwd: spec.cwd,
    startedAt,
    isKeeper: false,
  });
  const keepOnExit = group.killOnExit();
  const guarding = guard(child.pid, marked.confirmed).catch(() => null);
  return {
    child,
    async end(isGone) {
      try {
        if (isGone) await group.endLeftovers(LEFTOVER_GRACE_MS);
        else await group.stop(KILL_GRACE_MS);
      } finally {
        keepOnExit();
        await (await guarding)?.dismiss();
      }
    },
  };
}

/** Where this process may signal its own children alone. */
function startGuarded(spec: ServerProgram): Started {
  const start = (variable: Readonly<Record<string, string>>) => spawn(spec, variable);
  const { child, group } = openGroupGuard()?.start(start) ?? { child: start({}), group: null };
  return { child, end: (isGone) => endGuarded(child, group, isGone) };
}

async function endGuarded(
  child: Deno.ChildProcess,
  group: GuardedGroup | null,
  isGone: boolean,
): Promise<void> {
  const leader = new ProcessGroup(child, {
    mark: null,
    cwd: "",
    startedAt: 0,
    isKeeper: false,
  });
  try {
    if (isGone) return;
    group?.ask();
    await leader.stop(KILL_GRACE_MS);
  } finally {
    group?.leave();
  }
}

function spawn(
  { program, args, cwd, env }: ServerProgram,
  variable: Readonly<Record<string, string>>,
): Deno.ChildProcess {
  return new Deno.Command(program, {
    args: [...args],
    cwd,
    clearEnv: true,
    env: { ...env, ...variable },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    detached: Deno.build.os !== "windows",
  }).spawn();
}

async function guard(
  pid: number,
  confirmed: MarkedStart<unknown>["confirmed"],
): Promise<TaskGuard | null> {
  const [start, mark] = await Promise.all([processStart(pid), confirmed]);
  return start === null ? null : guardTask({ pid, start, mark });
}

async function explainStart(
  { name, program, cwd }: ServerProgram,
  error: unknown,
): Promise<McpError> {
  const failed = (reason: string) =>
    new McpError("unreachable", `Cannot start MCP server "${name}": ${reason}`, { cause: error });
  if (!await isDirectory(cwd)) return failed("the workspace is gone or is not a directory");
  const shown = JSON.stringify(program);
  if (error instanceof Deno.errors.NotFound) {
    return failed(`the program ${shown} does not exist; install it, or correct "command"`);
  }
  if (error instanceof Deno.errors.NotCapable) {
    return failed(
      `this run may not start ${shown}; the permissions of the Alisio process exclude it, or a ` +
        'variable of "env" or "envAllow" that makes a loader run other code',
    );
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return failed(`the system does not let ${shown} be executed; check its mode`);
  }
  return failed(`the system cannot start ${shown}; check "command", "args" and "env"`);
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory);
  }
}
