import {
  type CompactionAddition,
  type CompactionResult,
  type JsonValue,
  type PluginAPI,
  type SessionInfo,
  type SqlDatabase,
  textResult,
  type ToolContext,
  type ToolResult,
} from "@alisio/sdk";
import { checkMemoryFile } from "./check_memory_file.ts";
import { callMemoryTool } from "./call_memory_tool.ts";
import { memoryBlock, recalledBlock } from "./memory_block.ts";
import { answerMemoryCommand } from "./memory_command.ts";
import { memoryError, sqliteErrorOf } from "./memory_error.ts";
import { migrateMemory } from "./memory_schema.ts";
import type { MemorySettings } from "./memory_settings.ts";
import { MemoryStore, type SaveOutcome } from "./memory_store.ts";
import type { NewObservation } from "./observation.ts";
import { parseObservations } from "./parse_observations.ts";
import { type Project, projectOf } from "./project_id.ts";
import { promptsOf } from "./session_prompts.ts";
import { summariseSession } from "./summarise_session.ts";

/** What the memory works with. */
export interface MemoryPorts {
  readonly api: PluginAPI;
  readonly settings: MemorySettings;
  /** Absolute path of the database. */
  readonly path: string;
  /** Real path of the workspace. */
  readonly workspace: string;
  /** Replaces secrets in what is to be kept. */
  readonly redact: (text: string) => string;
}

/** Most that is kept of what a session was given. */
const MAX_INJECTED_CHARS = 80_000;
/** What is looked for where a summary has no fields. */
const QUERY_CHARS = 400;

/** What the plugin does once there is anything to remember, or to be kept. */
export class Memory {
  readonly #ports: MemoryPorts;
  #store: MemoryStore | undefined;
  #found: Promise<Project> | undefined;
  /** What the last summaries came to, for the status. */
  #archive = "none yet";
  #summary = "none yet";

  /** @param ports What it works with. */
  constructor(ports: MemoryPorts) {
    this.#ports = ports;
  }

  /**
   * Runs a call of one of the tools. What fails is told the model.
   *
   * @param tool The tool.
   * @param input Its input.
   * @param context The session of the call.
   */
  async callTool(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    context: Pick<ToolContext, "session">,
  ): Promise<ToolResult> {
    try {
      const { id } = await this.#project();
      return await callMemoryTool(tool, input, {
        context,
        project: id,
        store: this.#open(),
        settings: this.#ports.settings,
        block: () => this.#block(id),
        onChanged: () => this.#show(id),
      });
    } catch (error) {
      return textResult(memoryError(error, this.#ports.path).message, true);
    }
  }

  /**
   * Answers the command of the plugin.
   *
   * @param args What stands behind it.
   */
  async answer(args: string): Promise<string> {
    const { id } = await this.#project();
    try {
      const answer = answerMemoryCommand(args, this.#open(), id);
      this.#show(id);
      return answer;
    } catch (error) {
      throw memoryError(error, this.#ports.path);
    }
  }

  /** Shows how much is remembered. */
  async show(): Promise<void> {
    this.#show((await this.#project()).id);
  }

  #open(): MemoryStore {
    if (this.#store !== undefined) return this.#store;
    const { api, path } = this.#ports;
    let db: SqlDatabase | undefined;
    try {
      checkMemoryFile(path, { isUsual: this.#ports.settings.dbPath === undefined });
      db = api.storage.sqlite(path);
      migrateMemory(db);
    } catch (error) {
      db?.close();
      const said = sqliteErrorOf(error);
      if (said?.isLocked === true || said?.isFull === true) throw memoryError(error, path);
      const reason = said?.message ?? (error instanceof Error ? error.message : String(error));
      throw new Error(
        `Cannot open the memory "${path}": ${reason}; ${this.#wayOut(error)}, or start ` +
          "with --disable-plugin memory",
        { cause: error },
      );
    }
    this.#store = new MemoryStore(db, { redact: this.#ports.redact });
    return this.#store;
  }

  #wayOut(error: unknown): string {
    if (error instanceof RangeError) return "update Alisio";
    return this.#ports.settings.dbPath === undefined
      ? "move it away to begin anew"
      : "name a file in a folder that is there as builtinPlugins.memory.dbPath";
  }

  /** Of agents too that work for another one in a folder of their own. */
  #project(): Promise<Project> {
    this.#found ??= projectOf(this.#ports.workspace);
    return this.#found;
  }

  #block(project: string): string | undefined {
    return memoryBlock(this.#open(), project, this.#ports.settings.injectBudgetTokens);
  }

  /**
   * What a new session is told of earlier ones.
   *
   * @param info The session.
   */
  async begin({ sessionId }: Pick<SessionInfo, "sessionId">): Promise<string | undefined> {
    const { id } = await this.#project();
    const block = this.#block(id);
    if (block === undefined) return undefined;
    try {
      this.#open().keepInjected(sessionId, id, block.slice(0, MAX_INJECTED_CHARS));
    } catch {
      // The copy is for looking at it later; what is remembered is told all the same.
    }
    return block;
  }

  /**
   * Sums a session up that a person leaves, or a script ends.
   *
   * @param info The session.
   */
  async end(info: SessionInfo): Promise<void> {
    const { sessionId, messages, model, signal } = info;
    const project = await this.#project();
    const summary = await summariseSession(messages, {
      complete: (request) => this.#ports.api.model.complete(request),
      model,
      defaultScope: this.#ports.settings.defaultScope,
      signal,
    });
    signal.throwIfAborted();
    if (summary === undefined) return;
    const store = this.#open();
    store.keepPrompts(sessionId, project.id, promptsOf(messages));
    this.#summary = store.keepSummary(sessionId, project, summary.text) ? "confirmed" : "unknown";
    await this.#saveAll(summary.observations, {
      project: project.id,
      source: "session_summary",
      sessionId,
    });
    this.#show(project.id);
  }

  /**
   * Keeps what a compaction found, and recalls what fits the work at hand.
   *
   * @param result What became of the compaction.
   */
  async keepCheckpoint(result: CompactionResult): Promise<CompactionAddition> {
    const { sessionId, messages, extracted, structured, checkpointText } = result;
    const project = await this.#project();
    const store = this.#open();
    store.keepPrompts(sessionId, project.id, promptsOf(messages));
    const observations = structured
      ? parseObservations(extracted.observations, this.#ports.settings.defaultScope)
      : [];
    const saved = await this.#saveAll(observations, {
      project: project.id,
      source: "compaction",
      sessionId,
    });
    this.#archive = this.#keepSummary(store, sessionId, project, checkpointText);
    const found = this.#recall(store, project.id, result);
    const block = recalledBlock(found, this.#ports.settings.injectBudgetTokens);
    this.#show(project.id);
    const count = (outcome: SaveOutcome) => saved.filter((each) => each === outcome).length;
    return {
      ...(block === undefined ? {} : { injectContext: block }),
      report: {
        summary: `${count("created")} new, ${count("updated")} updated, ` +
          `${count("duplicate")} known, summary ${this.#archive}, ${found.length} recalled`,
      },
    };
  }

  #keepSummary(store: MemoryStore, sessionId: string, project: Project, text: string): string {
    try {
      return store.keepSummary(sessionId, project, text) ? "confirmed" : "unknown";
    } catch {
      return "failed";
    }
  }

  #recall(
    store: MemoryStore,
    project: string,
    { checkpoint, checkpointText, structured }: CompactionResult,
  ): ReturnType<MemoryStore["search"]> {
    const limit = this.#ports.settings.recallLimit;
    if (limit === 0) return [];
    const words = structured
      ? [checkpoint.goal, checkpoint.nextSteps].flatMap(textsOf).join(" ")
      : checkpointText.slice(0, QUERY_CHARS);
    return store.search({ query: words, project, match: "any", limit });
  }

  /** What cannot be kept stops nothing else. */
  async #saveAll(
    observations: readonly NewObservation[],
    context: Parameters<MemoryStore["save"]>[1],
  ): Promise<readonly SaveOutcome[]> {
    const outcomes: SaveOutcome[] = [];
    for (const observation of observations) {
      try {
        outcomes.push((await this.#open().save(observation, context)).action);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
      }
    }
    return outcomes;
  }

  #show(project: string): void {
    const store = this.#open();
    const counts = store.counts(project);
    const personal = counts.personal === 0 ? "" : `+${counts.personal}`;
    this.#ports.api.ui.status(
      "memory",
      `mem ${counts.project}${personal}`,
      `Project ${project}: ${counts.project} observations, ${counts.personal} personal; ` +
        `${store.writes} written here; summary at compaction: ${this.#archive}; at the end: ` +
        `${this.#summary}; in ${this.#ports.path}`,
    );
  }
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
