import { type McpClosed, McpError } from "../../core/mcp/mcp_connection.ts";
import { findServerProgram } from "../../core/mcp/server_program.ts";
import { serverEnvironment } from "../../core/mcp/server_environment.ts";
import type { McpServerSettings } from "../../core/config/configuration.ts";
import { settlesWithin } from "../../core/process/settles_within.ts";
import { ErrorTail } from "./error_tail.ts";
import { MessageLines } from "./message_lines.ts";
import { ServerProcess } from "./server_process.ts";
import type { OutgoingMessage, Transport, TransportEvents } from "./transport.ts";

/** How long the end of the program is waited for when one of its streams ends. */
const END_LIMIT_MS = 300;
/** How long the output of a program that has ended may go on. */
const DRAIN_LIMIT_MS = 200;
/** What a program that reads nothing may be owed, in bytes. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** What a server that is a program is started from. */
export interface StdioTransportOptions {
  /** Name of the server. */
  readonly name: string;
  readonly settings: McpServerSettings;
  /** Real path of the workspace, where it starts. */
  readonly workspace: string;
  /** Environment of Alisio. */
  readonly env: Readonly<Record<string, string>>;
  /** Values that must not be seen. */
  readonly secrets: readonly string[];
  /** Longest message that is taken, in bytes. */
  readonly maxMessageBytes: number;
}

/** Something that reads a stream. */
interface ByteSink {
  write(bytes: Uint8Array): void;
  end(): void;
}

/** The way to a server that is a program: one message a line over its standard streams. */
export class StdioTransport implements Transport {
  readonly #options: StdioTransportOptions;
  readonly #closed = Promise.withResolvers<McpClosed>();
  readonly #errors: ErrorTail;
  #process: ServerProcess | undefined;
  #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>> | undefined;
  #events: TransportEvents | undefined;
  readonly #readers: ReadableStreamDefaultReader<Uint8Array>[] = [];
  #unreadBytes = 0;
  #isOver = false;

  /** @param options What is started. */
  constructor(options: StdioTransportOptions) {
    this.#options = options;
    this.#errors = new ErrorTail(options.secrets);
  }

  get closed(): Promise<McpClosed> {
    return this.#closed.promise;
  }

  async start(events: TransportEvents): Promise<void> {
    const { name, settings, workspace, env } = this.#options;
    this.#events = events;
    const program = await findServerProgram(settings, { env, workspace });
    if (program === null) {
      throw new McpError(
        "unreachable",
        `Cannot start MCP server "${name}": the program ${JSON.stringify(settings.command)} is ` +
          'not in PATH; install it, or write its path in "command"',
      );
    }
    const process = await ServerProcess.start({
      name,
      program,
      args: settings.args,
      cwd: workspace,
      env: serverEnvironment(settings, env),
    });
    this.#process = process;
    this.#writer = process.child.stdin.getWriter();
    // What becomes of it shows with each write.
    this.#writer.closed.catch(() => {});
    const lines = new MessageLines({
      maxBytes: this.#options.maxMessageBytes,
      onLine: (line) => this.#readLine(line),
      onTooLong: (id) => this.#refuseLine(id),
    });
    const output = this.#pump(process.child.stdout, lines);
    const errors = this.#pump(process.child.stderr, this.#errors);
    void this.#watch(process, output, errors);
    if (this.#isOver) await this.close();
  }

  send(message: OutgoingMessage): void {
    const bytes = new TextEncoder().encode(`${JSON.stringify(message)}\n`);
    if (this.#isOver || this.#writer === undefined) return;
    if (this.#unreadBytes + bytes.length > MAX_UNREAD_BYTES) {
      const error = new McpError("too_large", "the server does not read what it is sent");
      if (message.id !== undefined) this.#events?.onFailed(message.id, error);
      return;
    }
    this.#unreadBytes += bytes.length;
    this.#writer.write(bytes).then(
      () => this.#unreadBytes -= bytes.length,
      () => this.#endSoon("closed its input"),
    );
  }

  setProtocolVersion(): void {
    // It makes no difference here.
  }

  async close(): Promise<void> {
    this.#end("was closed");
    await this.#stop();
  }

  async #pump(stream: ReadableStream<Uint8Array>, sink: ByteSink): Promise<void> {
    const reader = stream.getReader();
    this.#readers.push(reader);
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        sink.write(value);
      }
    } catch {
      // A broken pipe is the end of the stream.
    }
    sink.end();
  }

  #readLine(line: Uint8Array): void {
    if (this.#isOver) return;
    const text = new TextDecoder().decode(line).trim();
    if (text === "") return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#events?.onDiagnostic(
        `skipped a line of its output that is no message: ${text.slice(0, 200)}`,
      );
      return;
    }
    this.#events?.onMessage(value);
  }

  #refuseLine(id: number | null): void {
    const limit = `more than ${Math.floor(this.#options.maxMessageBytes / 1024 / 1024)} MB`;
    if (id === null) {
      this.#events?.onDiagnostic(`skipped a line of its output of ${limit}`);
      return;
    }
    this.#events?.onFailed(id, new McpError("too_large", `the answer has ${limit}`));
  }

  /** Notices the end, whichever way it comes. */
  async #watch(
    process: ServerProcess,
    output: Promise<void>,
    errors: Promise<void>,
  ): Promise<void> {
    const first = await Promise.race([
      process.status.then(() => "status" as const),
      output.then(() => "output" as const),
    ]);
    if (first === "output") return await this.#endSoon("closed its output");
    await settlesWithin(Promise.all([output, errors]), DRAIN_LIMIT_MS);
    await this.#endSoon("ended");
  }

  /** Ends the connection; where the program has ended or ends just now, that is the reason. */
  async #endSoon(reason: string): Promise<void> {
    if (this.#isOver || this.#process === undefined) return;
    const { status } = this.#process;
    await settlesWithin(status, END_LIMIT_MS);
    const end = await Promise.race([status, Promise.resolve(undefined)]);
    this.#end(end === undefined || end === null ? reason : describeEnd(end));
  }

  #end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const errorTail = this.#errors.text;
    this.#closed.resolve({
      reason: `MCP server "${this.#options.name}" ${reason}`,
      ...(errorTail === "" ? {} : { errorTail }),
    });
    this.#writer?.close().catch(() => {});
    void this.#stop();
  }

  async #stop(): Promise<void> {
    await this.#process?.stop();
    // Whoever escaped may hold the other ends.
    await Promise.allSettled(this.#readers.map((reader) => reader.cancel()));
  }
}

function describeEnd({ code, signal }: Deno.CommandStatus): string {
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}
