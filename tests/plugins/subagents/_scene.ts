import type { ModelEvent, ModelProvider, ModelRequest } from "@alisio/sdk";
import type { Application } from "../../../core/application.ts";
import type { ApplicationOptions, BuiltinPlugin } from "../../../core/application_options.ts";
import type { OpenSession } from "../../../core/run/open_session.ts";
import { subagentsPlugin } from "../../../plugins/subagents/mod.ts";
import {
  createStandardTools,
  loadSchemaValidator,
  loadYamlParser,
} from "../../../tools/standard_tools.ts";
import { type ApplicationScene, withScene } from "../../support/application_scene.ts";
import { calls, type PlayedTurn, says } from "../../support/run_harness.ts";

/** The plugin as the program registers it. */
export const SUBAGENTS: BuiltinPlugin = {
  id: "subagents",
  isNeeded: true,
  delegates: true,
  load: () => Promise.resolve(subagentsPlugin),
};

/** What each session does: turns by the first word of its first prompt. */
export type Roles = Readonly<Record<string, readonly PlayedTurn[]>>;

/**
 * A model that plays a role for each session, however many of them ask at once. The number of
 * assistant messages picks the turn; the last one is played again and again.
 */
export class RoleProvider implements ModelProvider {
  readonly id = "roles";
  readonly requests: ModelRequest[] = [];
  readonly #roles: Roles;

  constructor(roles: Roles) {
    this.#roles = roles;
  }

  stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    this.requests.push({ ...request, messages: [...request.messages] });
    const role = roleOf(request);
    const turns = Object.hasOwn(this.#roles, role) ? this.#roles[role] ?? [] : [];
    const played = request.messages.filter((message) => message.role === "assistant").length;
    const turn = turns[played] ?? turns.at(-1) ?? says(`${role} is done`);
    return turn(request);
  }

  /** The requests of one role, in order. */
  of(role: string): readonly ModelRequest[] {
    return this.requests.filter((request) => roleOf(request) === role);
  }
}

/** What stands in the messages of a user, oldest first. */
export function said(request: Pick<ModelRequest, "messages"> | undefined): readonly string[] {
  return (request?.messages ?? []).flatMap((message) =>
    message.role !== "user"
      ? []
      : message.content.map((part) => part.type === "text" ? part.text : part.type)
  );
}

/** Texts of results that a request shows the model. */
export function results(request: Pick<ModelRequest, "messages"> | undefined): readonly string[] {
  return (request?.messages ?? []).flatMap((message) =>
    message.role === "tool" ? [message.text] : []
  );
}

function roleOf(request: Pick<ModelRequest, "messages">): string {
  return said(request).at(0)?.split(" ")[0] ?? "";
}

/** A turn that calls `task` for each of these: agent and prompt, and more fields. */
export function delegates(
  ...tasks: readonly (readonly [string, string, Readonly<Record<string, unknown>>?])[]
): PlayedTurn {
  return calls(tasks.map(([agent, prompt, more]) => [
    "task",
    { description: `do ${prompt}`, prompt, subagent_type: agent, ...more },
  ]));
}

/** A turn that is made when it is played, from what the model was sent. */
export function then(make: (request: ModelRequest) => PlayedTurn): PlayedTurn {
  return (request) => make(request)(request);
}

/** The id of the task that a result is about. */
export function taskIdOf(result: string | undefined): string {
  const id = /id="([^"]+)"/.exec(result ?? "")?.[1] ??
    /"task_id":"([^"]+)"/.exec(result ?? "")?.[1];
  if (id === undefined) throw new TypeError(`There is no id in ${result}`);
  return id;
}

/** Waits inside a turn until something is called so many times. */
export class Gate {
  readonly #opened = Promise.withResolvers<void>();
  #left: number;

  constructor(count = 1) {
    this.#left = count;
  }

  /** One has come; resolves when all have. */
  arrive(): Promise<void> {
    this.#left -= 1;
    if (this.#left <= 0) this.#opened.resolve();
    return this.#opened.promise;
  }

  /** Resolves when all have come. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  /** A turn that says something when the gate is open. */
  says(text: string): PlayedTurn {
    const { opened } = this;
    return async function* (request) {
      await untilAborted(opened, request.signal);
      yield* says(text)(request);
    };
  }
}

/** Rejects with the reason of a signal if that comes first. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  aborted.catch(() => {});
  const stop = () => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** What a test of delegation works with. */
export interface DelegationScene extends ApplicationScene {
  readonly provider: RoleProvider;
  readonly application: Application;
  readonly session: OpenSession;
  /** Opens another application on the same folders, with the same model. */
  again(options?: Partial<ApplicationOptions>): Promise<Application>;
  /** Runs a prompt of the main session. */
  run(prompt?: string, signal?: AbortSignal): ReturnType<OpenSession["run"]>;
}

/**
 * Opens an application with the plugin and a session of it.
 *
 * @param roles What each session does.
 * @param options Files, settings of the plugin, and options of the application.
 * @param body Uses it.
 */
export async function withDelegation(
  roles: Roles,
  options: {
    readonly files?: Readonly<Record<string, string>>;
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly config?: Readonly<Record<string, unknown>>;
    readonly application?: Partial<ApplicationOptions>;
  },
  body: (scene: DelegationScene) => Promise<void>,
): Promise<void> {
  const config = { builtinPlugins: { subagents: options.settings ?? {} }, ...options.config };
  const files = { "config/config.json": JSON.stringify(config), ...options.files };
  await withScene(files, async (scene) => {
    const provider = new RoleProvider(roles);
    const again = (more: Partial<ApplicationOptions> = {}) =>
      scene.open({
        provider,
        model: "m",
        plugins: [SUBAGENTS],
        tools: createStandardTools,
        loadValidator: loadSchemaValidator,
        loadYamlParser,
        ...options.application,
        ...more,
      });
    const application = await again();
    const session = await application.createSession();
    await body({
      ...scene,
      provider,
      application,
      session,
      again,
      run: (prompt = "root", signal = new AbortController().signal) =>
        session.run(prompt, { signal, observers: [] }),
    });
  });
}

/** A definition of an agent as a file. */
export function agentFile(fields: Readonly<Record<string, unknown>>, prompt = "Work."): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return ["---", ...lines, "---", prompt, ""].join("\n");
}
