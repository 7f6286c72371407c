import type { AnswerStyle, ModelInfo } from "@alisio/sdk";
import type { LoadedConfiguration } from "../config/load_config.ts";
import { isObject } from "../config/is_object.ts";
import { AlisioError } from "../errors.ts";
import type { YamlParser } from "../frontmatter/frontmatter.ts";
import type { ActiveAgent } from "../gate/active_agent.ts";
import type { Policy } from "../gate/policy.ts";
import { namesAgent } from "../gate/profile/names_profile.ts";
import type { ChosenEffort } from "../provider/choose_effort.ts";
import type { AgentSources } from "./agent_folders.ts";
import type { AgentListing, GivenAgents } from "./discover_agents.ts";
import type { MainAgent } from "./main_agents.ts";

/** What the agents of an application are found with. */
export interface ApplicationAgentsPorts {
  readonly loaded: LoadedConfiguration;
  /** Definitions of the command line, by name. */
  readonly given?: GivenAgents["agents"];
  /** Where definitions may come from; asked for at each look. */
  readonly sources: () => AgentSources;
  /** Loads what reads YAML; absent where files define nothing. */
  readonly loadYamlParser?: () => Promise<YamlParser>;
  /** Whether a real path stays closed, whoever names it. */
  readonly isClosed?: (real: string) => boolean;
  /** The level of reasoning effort that the person named. */
  readonly effort?: string;
  /** Whether somebody can be asked for approval. */
  readonly canAsk: boolean;
  /** Name of the risk profile that is in force, where one is. */
  readonly riskProfile?: string;
  /** Whether a prompt runs. */
  readonly isBusy: () => boolean;
  /** Called when the policies became other ones. */
  readonly onChanged: () => void;
}

/** The agents that can hold a conversation, and what is wrong with definitions. */
export interface AgentChoices extends AgentListing {
  /** In the order in which a key goes through them. */
  readonly agents: readonly MainAgent[];
}

/** The agent that runs where nobody chose another. */
const PLAIN_AGENT = { id: "build", name: "build", description: "", onlyReads: false } as const;

/**
 * The agents of an application, and which of them runs. Who has none of their own pays nothing for
 * the code behind them.
 */
export class ApplicationAgents {
  readonly #ports: ApplicationAgentsPorts;
  #found: ActiveAgent | null = null;
  #effort: string | undefined;
  /** Loaded where anybody wants a level. */
  #efforts: typeof import("../provider/choose_effort.ts") | undefined;

  /** @param ports What they are found with. */
  constructor(ports: ApplicationAgentsPorts) {
    this.#ports = ports;
    this.#effort = ports.effort;
  }

  /** What the active agent takes away from what the run permits. */
  get policies(): readonly Policy[] {
    return this.#found?.policies ?? [];
  }

  /** The agent that runs. */
  get active(): MainAgent {
    return this.#found?.agent ?? PLAIN_AGENT;
  }

  /** Whether the agent runs that comes with the program and ends with a plan. */
  get isPlanning(): boolean {
    return this.active.id === "plan";
  }

  /** Whether nothing but looking is left. */
  get onlyReads(): boolean {
    return this.#found?.onlyReads ?? false;
  }

  /** What the active agent is told beside what every agent is told; null for nothing. */
  get text(): string | null {
    const { name, prompt: own = "", definition } = this.active;
    const prompt = [own, definition?.prompt ?? ""].filter((text) => text !== "").join("\n\n");
    return prompt === "" ? null : `You work as the agent "${name}".\n\n${prompt}`;
  }

  /** What is asked of the answers of the active agent. */
  get answer(): AnswerStyle | undefined {
    return this.active.definition?.answer;
  }

  /**
   * The reasoning effort that a model is asked for.
   *
   * @param model What the catalog says of it.
   * @throws {AlisioError} `usage` if it does not have the level that the person named.
   */
  effortFor(model: Pick<ModelInfo, "id" | "effort"> | undefined): ChosenEffort {
    const { effort: configured } = this.#ports.loaded.configuration.agents;
    const { effort: agent } = this.active.definition ?? {};
    return this.#efforts?.chooseEffort({
      ...this.#effort === undefined ? {} : { chosen: this.#effort },
      ...configured === undefined ? {} : { configured },
      ...agent === undefined ? {} : { agent },
    }, model) ?? {};
  }

  /**
   * Chooses the level of reasoning effort, from the next prompt on.
   *
   * @param level The level; undefined for what the configuration and the agent say.
   */
  async setEffort(level: string | undefined): Promise<void> {
    this.#efforts ??= await import("../provider/choose_effort.ts");
    this.#effort = level;
  }

  /**
   * Finds the agent that the configuration names.
   *
   * @param notify Takes what the person should know, one sentence each.
   */
  async prepare(notify: (notice: string) => void): Promise<void> {
    const { loaded, given, canAsk } = this.#ports;
    if ((this.#effort ?? loaded.configuration.agents.effort) !== undefined) {
      await this.setEffort(this.#effort);
    }
    if (!namesAgent(loaded.layers) && given === undefined) return;
    const { activeAgent, isDefinedElsewhere } = await import("../gate/active_agent.ts");
    const isElsewhere = given !== undefined || isDefinedElsewhere(loaded);
    const found = isElsewhere ? await this.#discover() : undefined;
    this.#found = activeAgent(loaded, {
      canAsk,
      ...found === undefined ? {} : { discovered: found.definitions, shadowed: found.shadowed },
    });
    this.#found.notices.forEach(notify);
    if (this.active.definition?.effort !== undefined) await this.setEffort(this.#effort);
    this.#ports.onChanged();
  }

  /** Looks for all of them again. Never throws for what is wrong with files. */
  async list(): Promise<AgentChoices> {
    const [{ mainAgents }, listing] = await Promise.all([
      import("./main_agents.ts"),
      this.#discover(),
    ]);
    return { ...listing, agents: mainAgents(listing.definitions) };
  }

  /**
   * Lets another agent run, from the next prompt on. A person who chooses one chooses what it
   * narrows, whatever another one would.
   *
   * @param id The agent.
   * @throws {AlisioError} `usage` if there is no such agent, a prompt runs, or it works under another
   * risk profile.
   */
  async choose(id: string): Promise<MainAgent> {
    const { agents } = await this.list();
    const agent = agents.find((candidate) => candidate.id === id);
    if (agent === undefined) throw await unknownAgent(id, agents);
    if (this.#ports.isBusy()) {
      throw refused("a prompt is running; wait for its end, or stop it first");
    }
    if (this.#profileOf(id) !== this.#profileOf(this.active.id)) {
      throw refused(
        `"${id}" works under another risk profile; name it in "agents.active" and start again`,
      );
    }
    const { agentPolicies } = await import("./agent_policies.ts");
    if (agent.definition?.effort !== undefined) await this.setEffort(this.#effort);
    const policies = agentPolicies(agent, this.#ports);
    this.#found = { agent, policies, onlyReads: agent.onlyReads, notices: [] };
    this.#ports.onChanged();
    return agent;
  }

  /**
   * Why no work can be handed to an agent; undefined if it can.
   *
   * @param id The agent.
   */
  delegateProblem(id: string): string | undefined {
    const bound = this.#profileOf(id);
    if (bound === undefined || bound === this.#ports.riskProfile) return undefined;
    return `the agent "${id}" works under the risk profile "${bound}", and its caller does not`;
  }

  async #discover(): Promise<AgentListing> {
    const { loaded, given, sources, loadYamlParser, isClosed } = this.#ports;
    const { CONFIG_SOURCE, discoverAgents } = await import("./discover_agents.ts");
    const configured = { ...loaded.configuration.builtinPlugins.subagents.agents };
    return await discoverAgents({
      ...sources(),
      ...loadYamlParser === undefined ? {} : { loadParser: loadYamlParser },
      ...isClosed === undefined ? {} : { isClosed },
      given: [
        ...given === undefined
          ? []
          : [{ source: "--agents", origin: "flag" as const, agents: given }],
        {
          source: CONFIG_SOURCE,
          origin: "config",
          agents: Object.fromEntries(
            Object.entries(configured).map(([name, fields]) => [name, { ...fields }]),
          ),
        },
      ],
    });
  }

  /** The risk profile that an agent is bound to, as the nearest file has it. */
  #profileOf(id: string): string | undefined {
    for (const { values } of this.#ports.loaded.layers.toReversed()) {
      const { agents } = values;
      const entry = isObject(agents) && Object.hasOwn(agents, id) ? agents[id] : undefined;
      const name = isObject(entry) ? entry["riskProfile"] ?? entry["risk_profile"] : undefined;
      if (typeof name === "string") return name;
    }
    return undefined;
  }
}

function refused(reason: string): AlisioError {
  return new AlisioError("usage", `Cannot change the agent: ${reason}`);
}

async function unknownAgent(id: string, agents: readonly MainAgent[]): Promise<AlisioError> {
  const [{ nearestName }, { quoted }] = await Promise.all([
    import("../config/nearest_name.ts"),
    import("../config/quoted.ts"),
  ]);
  const nearest = nearestName(id, agents.map((agent) => agent.id));
  return refused(
    `there is no agent ${quoted(id, 80)} that could hold a conversation` +
      (nearest === undefined ? "" : `; did you mean "${nearest}"?`),
  );
}
