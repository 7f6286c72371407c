/**
 * A strict model server whose answers are a script, for tests of the whole program.
 *
 * @module
 */
import { chatReply } from "./stub_replies.ts";
import { strictChat } from "./strict_chat.ts";
import {
  jsonReply,
  type RecordedRequest,
  startStubServer,
  type StubHandler,
  type StubReply,
  type StubServer,
  textReply,
} from "./stub_server.ts";

/** One answer of the model. */
export type ModelTurn = StubReply | StubHandler;

/** A running model server. */
export interface ScriptedModel extends AsyncDisposable {
  /** Address for a configuration. */
  readonly baseUrl: string;
  /** The address without its path. */
  readonly origin: string;
  /** Requests for an answer, in order. */
  readonly chats: readonly RecordedRequest[];
  /** Everything that was asked of the server. */
  readonly requests: readonly RecordedRequest[];
  /** Rules of the protocol that a request broke. */
  readonly violations: readonly string[];
  /**
   * Waits for a request for an answer.
   *
   * @param index Which one, counting from 0.
   */
  chat(index: number): Promise<RecordedRequest>;
  /**
   * A command of bash that tells the test that it was reached, without waiting for an answer.
   *
   * @param mark A name for the place.
   */
  report(mark: string): string;
  /**
   * Waits until a command has reported.
   *
   * @param mark The place.
   * @returns The id of the process that reported.
   */
  reported(mark: string): Promise<number>;
}

/**
 * Starts a model that plays turns, and then says "Done" for ever. A request that a strict server
 * would refuse gets status 400.
 *
 * @param turns The answers, in order, or what makes them once the server runs.
 * @param options What its catalog says of it, besides its id `stub`.
 */
export async function startModel(
  turns: readonly ModelTurn[] | ((model: ScriptedModel) => readonly ModelTurn[]) = [],
  options: { readonly entry?: Readonly<Record<string, unknown>> } = {},
): Promise<ScriptedModel> {
  const model = new Model(options.entry ?? {});
  await model.start();
  model.turns = typeof turns === "function" ? turns(model) : turns;
  return model;
}

/**
 * A turn that calls tools.
 *
 * @param calls Names and arguments; the ids are made up.
 */
export function callTurn(
  ...calls: readonly (readonly [string, Readonly<Record<string, unknown>> | string])[]
): StubReply {
  return chatReply({
    calls: calls.map(([name, args]) => ({
      id: `call_${crypto.randomUUID().slice(0, 8)}`,
      name,
      arguments: args,
    })),
  });
}

/**
 * The results of tools that a request carries, in order.
 *
 * @param request A request for an answer.
 */
export function toolResults(request: RecordedRequest): readonly string[] {
  return messagesOf(request).filter(({ role }) => role === "tool").map(({ content }) =>
    String(content)
  );
}

/**
 * The messages of a request.
 *
 * @param request A request for an answer.
 */
export function messagesOf(
  request: RecordedRequest,
): readonly Readonly<Record<string, unknown>>[] {
  const { json } = request;
  return typeof json === "object" && json !== null && "messages" in json &&
      Array.isArray(json.messages)
    ? json.messages
    : [];
}

/** Closes its connection: the runtime silently sends again what fails on one that it used before. */
function catalogOf(entry: Readonly<Record<string, unknown>>): StubReply {
  return { ...jsonReply({ data: [{ id: "stub", ...entry }] }), framing: "close" };
}

class Model implements ScriptedModel {
  readonly chats: RecordedRequest[] = [];
  turns: readonly ModelTurn[] = [];
  readonly #awaited = new Map<number, PromiseWithResolvers<RecordedRequest>>();
  readonly #reports = new Map<string, PromiseWithResolvers<number>>();
  readonly #catalog: StubReply;
  #server: StubServer | undefined;

  constructor(entry: Readonly<Record<string, unknown>>) {
    this.#catalog = catalogOf(entry);
  }

  async start(): Promise<void> {
    this.#server = await startStubServer((request) => this.#answer(request), {
      check: (json) => strictChat(json),
    });
  }

  get #running(): StubServer {
    if (this.#server === undefined) throw new TypeError("The model was not started");
    return this.#server;
  }

  get baseUrl(): string {
    return this.#running.baseUrl;
  }

  get origin(): string {
    return this.#running.origin;
  }

  get requests(): readonly RecordedRequest[] {
    return this.#running.requests;
  }

  get violations(): readonly string[] {
    return this.#running.violations;
  }

  chat(index: number): Promise<RecordedRequest> {
    const known = this.chats[index];
    if (known !== undefined) return Promise.resolve(known);
    const awaited = this.#awaited.get(index) ?? Promise.withResolvers<RecordedRequest>();
    this.#awaited.set(index, awaited);
    return awaited.promise;
  }

  report(mark: string): string {
    const request = `GET /report/${mark}?%s HTTP/1.1\\r\\n\\r\\n`;
    return `exec 3<>/dev/tcp/127.0.0.1/${this.#running.port}; printf "${request}" $$ >&3; exec 3>&-`;
  }

  reported(mark: string): Promise<number> {
    return this.#place(mark).promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running.close();
  }

  async #answer(request: RecordedRequest): Promise<StubReply> {
    if (request.path.endsWith("/models")) return this.#catalog;
    const [, mark, pid] = /^\/report\/(\w+)\?(\d+)$/.exec(request.path) ?? [];
    if (mark !== undefined) {
      this.#place(mark).resolve(Number(pid));
      return textReply("");
    }
    const index = this.chats.push(request) - 1;
    this.#awaited.get(index)?.resolve(request);
    const turn = this.turns[index] ?? chatReply({ text: "Done" });
    return typeof turn === "function" ? await turn(request) : turn;
  }

  #place(mark: string): PromiseWithResolvers<number> {
    const known = this.#reports.get(mark) ?? Promise.withResolvers<number>();
    this.#reports.set(mark, known);
    return known;
  }
}
