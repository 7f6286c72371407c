import type { KnownRunEventType, RunEvent } from "@alisio/sdk";
import type { Application } from "../../core/application.ts";
import type { ChosenModel } from "../../core/provider/connect_model.ts";
import { userHome } from "../../core/config/directories.ts";
import { visibleName } from "../../core/process/visible_text.ts";
import { shortenPath } from "../../core/startup/startup_sections.ts";
import { VERSION } from "../../core/version.ts";
import type { Conversation } from "../conversation.ts";
import { gitBranch } from "./git_branch.ts";
import { RunState } from "./run_state.ts";
import type { ContextFacts, StatusFacts } from "./status_facts.ts";
import { UsageMeter } from "./usage_meter.ts";

const SESSION_CHARS = 8;
/** What the bar of the context is measured after. */
const CHANGES_CONTEXT: ReadonlySet<string> = new Set<KnownRunEventType>([
  "turn_completed",
  "compaction_completed",
  "run_completed",
  "run_failed",
  "run_cancelled",
]);

/** What the rows around the conversation are drawn from. */
export interface StatusPorts {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly conversation: Conversation;
}

/** Keeps what the rows around the conversation tell. */
export class StatusTracker {
  readonly #ports: StatusPorts;
  readonly #run = new RunState();
  readonly #meter = new UsageMeter();
  #chosen: ChosenModel | null = null;
  #branch: string | undefined;
  /** What plugins showed at the last look. */
  #seen = "";
  #context: ContextFacts | undefined;

  /** @param ports What it looks at. */
  constructor(ports: StatusPorts) {
    this.#ports = ports;
  }

  /** A prompt begins. */
  begin(): void {
    this.#run.begin();
  }

  /** It has ended. */
  end(): void {
    this.#run.end();
    void this.#readBranch();
  }

  /** Another session is open. */
  reset(): void {
    this.#meter.reset();
  }

  /**
   * Takes in what happened.
   *
   * @param event An event of a run.
   */
  observe(event: RunEvent): void {
    this.#run.observe(event);
    this.#meter.observe(event);
    if (CHANGES_CONTEXT.has(event.type)) this.#measure();
  }

  /** Looks up what may have changed with the application or the session. Never fails. */
  async refresh(): Promise<void> {
    const { application, session } = this.#ports.conversation;
    this.#measure();
    await Promise.all([
      this.#readBranch(),
      application?.chosenModel(session?.model).then(
        (chosen) => void (this.#chosen = chosen),
        // What is wrong with it is said when a prompt needs it.
        () => void (this.#chosen = null),
      ),
    ]);
  }

  /**
   * Asks plugins for the texts that they show.
   *
   * @returns Whether something of it changes on the screen.
   */
  look(): boolean {
    const { application } = this.#ports.conversation;
    const seen = JSON.stringify(application?.pluginStatuses());
    const changes = seen !== this.#seen;
    this.#seen = seen;
    return changes;
  }

  /** What they tell at this moment. */
  facts(): StatusFacts {
    const { cwd, env, conversation } = this.#ports;
    const { application, session } = conversation;
    const home = userHome(env);
    const run = this.#run.text();
    const { startedAt } = this.#run;
    return {
      version: VERSION,
      cwd: visibleName(
        shortenPath(application?.workspace ?? cwd, home === undefined ? {} : { home }),
      ),
      mode: modeOf(application),
      ...application === undefined ? {} : { agent: visibleName(application.agents.active.name) },
      ...(application === undefined ? {} : { verdicts: application.effectVerdicts() }),
      ...mcpOf(application),
      ...(this.#branch === undefined ? {} : { branch: this.#branch }),
      ...this.#model(),
      ...this.#effort(),
      ...(session === undefined ? {} : { session: session.id.slice(0, SESSION_CHARS) }),
      ...(this.#context === undefined ? {} : { context: this.#context }),
      usage: this.#meter.usage,
      ...(run === undefined ? {} : { run }),
      ...(startedAt === undefined ? {} : { runMs: Date.now() - startedAt }),
      plugins: application?.pluginStatuses().map(({ text }) => visibleName(text)) ?? [],
    };
  }

  #model(): Pick<StatusFacts, "model" | "provider" | "host" | "apiMode"> {
    const chosen = this.#chosen;
    if (chosen === null) return {};
    const { apiMode } = this.#ports.conversation.application?.loaded.configuration.provider ?? {};
    return {
      model: visibleName(chosen.model),
      provider: visibleName(chosen.provider),
      ...(chosen.host === undefined ? {} : { host: visibleName(chosen.host) }),
      ...(apiMode === undefined ? {} : { apiMode }),
    };
  }

  #effort(): Pick<StatusFacts, "effort"> {
    const { application, session } = this.#ports.conversation;
    try {
      const effort = session === undefined
        ? application?.agents.effortFor(undefined).effort
        : session.effort();
      return effort === undefined ? {} : { effort: visibleName(effort) };
    } catch {
      // What is wrong with it is said when a prompt needs it.
      return {};
    }
  }

  #measure(): void {
    this.#context = this.#ports.conversation.session?.contextUsage();
  }

  async #readBranch(): Promise<void> {
    const { application } = this.#ports.conversation;
    this.#branch = await gitBranch(application?.workspace ?? this.#ports.cwd);
  }
}

/** Without a server and without a consent, there is nothing to know. */
function mcpOf(application: Application | undefined): Pick<StatusFacts, "mcp"> {
  if (application === undefined) return {};
  const { mcp, loaded: { configuration } } = application;
  const isGranted = mcp === undefined ? configuration.mcp.allow : mcp.permission().isGranted;
  const hasServers = Object.keys(configuration.mcp.servers).length > 0;
  return isGranted ? { mcp: "on" } : hasServers ? { mcp: "off" } : {};
}

/** While an agent only looks, no mode permits more. */
function modeOf(application: Application | undefined): StatusFacts["mode"] {
  if (application === undefined) return "";
  return application.agents.onlyReads ? "read-only" : application.permissionMode();
}
