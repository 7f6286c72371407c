import type { ModelProvider, Plugin, StartupContext } from "@alisio/sdk";
import type { LoadedConfiguration } from "./config/load_config.ts";
import type { InstructionSources } from "./context/instruction_files.ts";
import type { YamlParser } from "./frontmatter/frontmatter.ts";
import type { YamlEditor } from "./frontmatter/yaml_editor.ts";
import type { AttachedInstructions } from "./context/nested_instructions.ts";
import type { AlisioError } from "./errors.ts";
import type { ApprovalChannel, Approver } from "./gate/approval.ts";
import type { ProfileToolFacts } from "./gate/profile/bind_profile.ts";
import type { StreamRedactor } from "./process/stream_redactor.ts";
import type { SearchExtensions } from "./plugins/search_extensions.ts";
import type { PlanPort } from "./plan/plan_port.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import type { GoalPort } from "./goals/goal_port.ts";
import type { SkillReader } from "./skills/skill_catalog.ts";
import type { TaskEndNotice } from "./tasks/background_task.ts";
import type { BackgroundTasks } from "./tasks/background_tasks.ts";
import type { HostTool } from "./tools/host_tool.ts";
import type { McpParts } from "./mcp/mcp_parts.ts";
import type { InputValidator } from "./tools/input_validator.ts";
import type { QuestionAsker } from "./tools/user_question.ts";

/** A plugin that comes with the program, loaded only when something needs it. */
export interface BuiltinPlugin {
  /** The plugin's id. */
  readonly id: string;
  /**
   * Whether it is loaded with the application, or else not at all. Absent for one that is loaded
   * when a provider of its id is used.
   */
  readonly isNeeded?: boolean;
  /** Whether it makes child sessions. */
  readonly delegates?: boolean;
  /**
   * Imports it.
   *
   * @param ports What only a plugin that comes with the program gets.
   */
  load(ports: BuiltinPluginPorts): Promise<Plugin>;
}

/** What a plugin that comes with the program gets beside the interface of all plugins. */
export interface BuiltinPluginPorts {
  /**
   * Replaces secrets that are known by now, in what is to be kept.
   *
   * @param text The text.
   */
  readonly redact: (text: string) => string;
}

/** What built-in tools are made from. */
export interface ToolFacts {
  /** Real path of the workspace. */
  readonly workspace: string;
  /** Environment variables. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * The configuration that is in force.
   *
   * @internal
   */
  readonly loaded: LoadedConfiguration;
  /**
   * Where instruction files come from.
   *
   * @internal
   */
  readonly instructions: InstructionSources;
  /**
   * The skills that a model may load.
   *
   * @internal
   */
  readonly skills: SkillReader;
  /**
   * Instruction files below the workspace that a session was given.
   *
   * @internal
   */
  readonly attachedInstructions: (sessionId: string) => AttachedInstructions;
  /** Real paths of files and folders that no tool opens, whatever folder it looks through. */
  readonly secretFiles: readonly string[];
  /** Whether a real path is a file of stored keys, or a copy of one beside it. */
  readonly isSecret: (real: string) => boolean;
  /**
   * What a risk profile says of programs; absent where none is in force.
   *
   * @internal
   */
  readonly profile?: ProfileToolFacts;
  /**
   * The sandbox that programs run in, asked for at each call; `null` where none is in force.
   *
   * @internal
   */
  readonly sandbox?: () => Sandbox | null;
  /**
   * Makes what takes the keys that are in use at this moment out of one stream of output.
   *
   * @internal
   */
  readonly createRedactor: () => StreamRedactor;
  /**
   * The background tasks; only here is their code loaded.
   *
   * @internal
   */
  readonly tasks: () => Promise<BackgroundTasks>;
  /**
   * How a model learns that its background tasks ended.
   *
   * @internal
   */
  readonly taskEnds: TaskEndNotice;
  /**
   * Takes plans to the person.
   *
   * @internal
   */
  readonly plans?: PlanPort;
  /**
   * The goals of sessions.
   *
   * @internal
   */
  readonly goals?: GoalPort;
  /**
   * What plugins offer for searches of the web.
   *
   * @internal
   */
  readonly searchExtensions?: SearchExtensions;
  /** Puts a model's questions to the person; absent when nobody can answer. */
  readonly ask?: QuestionAsker;
}

/** How an application is opened. Names mirror the flags of the command line. */
export interface ApplicationOptions {
  /** The directory to work in. */
  readonly cwd: string;
  /** Environment variables. */
  readonly env: Readonly<Record<string, string>>;
  /** `--config`. */
  readonly config?: string;
  /** `--trust-project`. */
  readonly trustProject?: boolean;
  /** `--db`. */
  readonly db?: string;
  /** `--model`. */
  readonly model?: string;
  /** `--base-url`. */
  readonly baseUrl?: string;
  /** `--api-mode`. */
  readonly apiMode?: string;
  /** `--read-only`. */
  readonly readOnly?: boolean;
  /** `--allow-write`. */
  readonly allowWrite?: boolean;
  /** `--allow-process`. */
  readonly allowProcess?: boolean;
  /**
   * `--allow-mcp`: whether MCP servers are started and reached. `mcp.allow` of the person's own
   * configuration says the same for every run.
   */
  readonly allowMcp?: boolean;
  /** Whether tools of effect `external` run without asking. */
  readonly allowExternal?: boolean;
  /** Tools that run without asking whatever their effect is; `readOnly` wins over it. */
  readonly allowedTools?: readonly string[];
  /** `--risk-profile`. */
  readonly riskProfile?: string;
  /** `--agents`: definitions of agents by name, with the fields that files have and `prompt`. */
  readonly agents?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** `--effort`: the level of reasoning effort that is asked for. */
  readonly effort?: string;
  /** `--add-dir`. */
  readonly addDir?: readonly string[];
  /** `--plugin`. */
  readonly plugin?: readonly string[];
  /**
   * Whether the code of external plugins is loaded. Where it is not, their tools are missing.
   *
   * @default true
   */
  readonly loadsExternalPlugins?: boolean;
  /** `--disable-plugin`. */
  readonly disablePlugin?: readonly string[];
  /** Makes the tools that the model may call. */
  readonly tools: (facts: ToolFacts) => readonly HostTool[];
  /** Plugins that come with the program. */
  readonly plugins: readonly BuiltinPlugin[];
  /** Loads the validator of tool inputs. */
  readonly loadValidator: () => Promise<InputValidator>;
  /**
   * Loads what speaks to MCP servers. Without it there are none.
   *
   * @internal
   */
  readonly loadMcp?: () => Promise<McpParts>;
  /** Loads what reads YAML. Without it there are no skills, and no prompt templates of files. */
  readonly loadYamlParser?: () => Promise<YamlParser>;
  /**
   * Loads what changes YAML. Without it no definition of an agent can be written.
   *
   * @internal
   */
  readonly loadYamlEditor?: () => Promise<YamlEditor>;
  /** Used instead of a configured provider. */
  readonly provider?: ModelProvider;
  /**
   * Asks the person for approval: a function, or channels that are asked in order until somebody
   * decides. Absent when nobody is there.
   */
  readonly approve?: Approver | ApprovalChannel | readonly ApprovalChannel[];
  /** Channels that the approval route of a risk profile can name, each `<platform>.<alias>`. */
  readonly approvalChannels?: readonly ApprovalChannel[];
  /** Puts a model's own questions to the person; absent when nobody can answer. */
  readonly ask?: QuestionAsker;
  /**
   * Shows the person a stored session, to look at; false where that cannot be. Absent where there is
   * no interface that can.
   */
  readonly view?: (sessionId: string) => boolean;
  /**
   * How a model learns that its background tasks ended: the caller sees to it.
   *
   * @internal
   * @default "never"
   */
  readonly taskEnds?: TaskEndNotice;
  /** Gives up opening, where that waits for a plugin. */
  readonly signal?: AbortSignal;
  /**
   * Is told of an external plugin that cannot be loaded. Without it, one that `--plugin` names is an
   * error, and any other a notice.
   *
   * @internal
   */
  readonly onPluginFailed?: (failure: AlisioError) => void;
  /** Receives what the person should be told, one sentence each. */
  readonly onNotice?: (notice: string) => void;
}

/**
 * What a startup screen is drawn from, as far as only the caller knows it. A model is the one of an
 * open session.
 *
 * @internal
 */
export type StartupFacts = Omit<StartupContext, "mascot" | "version" | "plugins" | "provider">;

/** How a session is opened. */
export interface OpenOptions {
  /** Gives up. */
  readonly signal?: AbortSignal;
}
