/**
 * Herdr as a program and a server: the program is a real executable that hands its arguments to a
 * real Unix socket and prints what comes back.
 *
 * @module
 */
import { join } from "node:path";
import { DENO } from "./paths.ts";

/** What the program prints, and how it ends. */
export interface FakeAnswer {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly code?: number;
}

/** What the server does with the arguments of one start of the program. */
export type FakeBehaviour = (args: readonly string[]) => FakeAnswer | "silence";

/** A Herdr that runs. */
export interface FakeHerdr extends AsyncDisposable {
  /** The variables that Herdr sets in a pane. */
  readonly env: Readonly<Record<string, string>>;
  /** Arguments of every start of the program, in order. */
  readonly calls: readonly (readonly string[])[];
  /** Names of the variables that the program had at its last start. */
  readonly variables: readonly string[];
  /** Waits until the program was started that often. */
  started(count: number): Promise<void>;
}

const PROGRAM = `
const connection = await Deno.connect({
  transport: "unix",
  path: Deno.env.get("HERDR_SOCKET_PATH"),
});
const sent = { args: Deno.args, variables: Object.keys(Deno.env.toObject()) };
await connection.write(new TextEncoder().encode(JSON.stringify(sent) + "\\n"));
const { stdout = "", stderr = "", code = 0 } = await new Response(connection.readable).json();
await Deno.stdout.write(new TextEncoder().encode(stdout));
await Deno.stderr.write(new TextEncoder().encode(stderr));
Deno.exit(code);
`;

/** An agent as Herdr lists it. */
export interface FakeAgent {
  readonly pane_id: string;
  readonly agent: string;
  readonly agent_status: string;
  readonly name?: string;
  readonly cwd?: string;
}

/**
 * Herdr's answer about its agents.
 *
 * @param agents The agents.
 */
export function agentList(agents: readonly FakeAgent[]): FakeAnswer {
  return {
    stdout: JSON.stringify({ id: "cli:agent:list", result: { type: "agent_list", agents } }),
  };
}

/**
 * Herdr's answer when it refuses.
 *
 * @param code Its word for why.
 * @param message Why.
 */
export function herdrError(code: string, message: string): FakeAnswer {
  return { stderr: JSON.stringify({ id: "cli", error: { code, message } }), code: 1 };
}

/**
 * Starts a Herdr.
 *
 * @param dir An empty or new folder of its own.
 * @param behaviour What its server does; it only takes note by default.
 */
export async function startHerdr(
  dir: string,
  behaviour: FakeBehaviour = () => ({}),
): Promise<FakeHerdr> {
  await Deno.mkdir(dir, { recursive: true });
  const program = join(dir, "herdr");
  const path = join(dir, "herdr.sock");
  await Deno.writeTextFile(join(dir, "program.js"), PROGRAM);
  await Deno.writeTextFile(
    program,
    `#!/bin/sh\nDENO_DIR='${dir}/cache' exec '${DENO}' run -A --quiet --no-config --no-lock ` +
      `'${dir}/program.js' "$@"\n`,
  );
  await Deno.chmod(program, 0o755);
  const herdr = new Herdr(Deno.listen({ transport: "unix", path }), behaviour, {
    HERDR_ENV: "1",
    HERDR_PANE_ID: "w1:p1",
    HERDR_BIN_PATH: program,
    HERDR_SOCKET_PATH: path,
  });
  return herdr;
}

class Herdr implements FakeHerdr {
  readonly env: FakeHerdr["env"];
  readonly calls: string[][] = [];
  variables: readonly string[] = [];
  readonly #listener: Deno.UnixListener;
  readonly #behaviour: FakeBehaviour;
  readonly #serving: Promise<void>;
  readonly #silent = new Set<Deno.UnixConn>();
  #onStart = Promise.withResolvers<void>();

  constructor(listener: Deno.UnixListener, behaviour: FakeBehaviour, env: FakeHerdr["env"]) {
    this.#listener = listener;
    this.#behaviour = behaviour;
    this.env = env;
    this.#serving = this.#serve();
  }

  async started(count: number): Promise<void> {
    while (this.calls.length < count) await this.#onStart.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const connection of this.#silent) connection.close();
    await this.#serving;
  }

  async #serve(): Promise<void> {
    const connections: Promise<void>[] = [];
    for await (const connection of this.#listener) connections.push(this.#answer(connection));
    await Promise.all(connections);
  }

  async #answer(connection: Deno.UnixConn): Promise<void> {
    const { args, variables } = JSON.parse(await readLine(connection));
    this.calls.push(args);
    this.variables = variables;
    this.#onStart.resolve();
    this.#onStart = Promise.withResolvers();
    const answer = this.#behaviour(args);
    if (answer === "silence") {
      this.#silent.add(connection);
      return;
    }
    await connection.write(new TextEncoder().encode(JSON.stringify(answer)));
    connection.close();
  }
}

async function readLine(connection: Deno.UnixConn): Promise<string> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(65_536);
  let text = "";
  while (!text.endsWith("\n")) {
    const count = await connection.read(buffer);
    if (count === null) break;
    text += decoder.decode(buffer.subarray(0, count), { stream: true });
  }
  return text;
}
