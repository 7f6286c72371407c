import { isMissing, readSmallFile } from "../config/small_file.ts";
import { quoted } from "../config/quoted.ts";
import { AlisioError, errorMessage } from "../errors.ts";
import { replaceFile } from "../files/atomic_write.ts";
import { FileError } from "../files/file_error.ts";
import { sha256Hex } from "../files/sha256.ts";
import { readFrontmatter, type YamlParser } from "../frontmatter/frontmatter.ts";
import type { YamlChange, YamlEditor } from "../frontmatter/yaml_editor.ts";
import { isInside } from "../paths/is_inside.ts";
import { dirname, join } from "../paths/path.ts";
import { quotePath } from "../paths/quote_path.ts";
import { keepTrust, type KeepTrustOptions } from "../trust/keep_trust.ts";
import { realOrPlanned } from "../workspace.ts";
import type { AgentDefinition } from "./agent_definition.ts";
import {
  type AgentSheet,
  EMPTY_SHEET,
  hasPlainTools,
  sheetChanges,
  sheetOf,
} from "./agent_sheet.ts";
import { changeAgentText, EMPTY_AGENT_TEXT } from "./agent_text.ts";
import { MAX_AGENT_BYTES } from "./discover_agents.ts";
import { isAgentName, parseAgent } from "./parse_agent.ts";

/** Where a definition is saved: for this project, or for everything that the person does. */
export type AgentScope = "project" | "global";

/** A file that the store can write anew. */
export interface SavedAgent {
  /** Name of its file, without the ending. */
  readonly file: string;
  readonly scope: AgentScope;
  /** Absolute path. */
  readonly path: string;
  /** What it says, as far as a person writes it in a form. */
  readonly sheet: AgentSheet;
  /** Whether its tools are written so that a line of a form can hold them. */
  readonly hasPlainTools: boolean;
  /** What it defines; null where it cannot be used. */
  readonly definition: AgentDefinition | null;
  /** What is wrong with it; empty if nothing is. */
  readonly problem: string;
  /** Whether it can be changed at all, and not only be removed. */
  readonly isReadable: boolean;
  /** SHA-256 of it as it was read. */
  readonly sha256: string;
}

/** What the store works with. */
export interface AgentStorePorts {
  readonly project: KeepTrustOptions;
  readonly parse: YamlParser;
  readonly edit: YamlEditor;
  /** Whether a real path stays closed, whoever names it. */
  readonly isClosed: (real: string) => boolean;
  /** Whether the run changes nothing. */
  readonly isReadOnly: () => boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Where a file was written, and what the person should know, if there is anything. */
export interface AgentSaved {
  readonly path: string;
  readonly notice: string | null;
}

const FOLDER = [".agents", "agents"] as const;
const ENDING = ".md";
/** Files of one folder that are looked at. */
const MAX_FILES = 500;
/** Agents that come with the program; a file of that name would mean nothing. */
const BUILT_IN: ReadonlySet<string> = new Set(["build", "plan"]);

const encoder = new TextEncoder();

/**
 * The definitions of agents that Alisio writes: `.agents/agents` of the project, and of the person's
 * home folder. No other file is ever written.
 */
export class AgentStore {
  readonly #ports: AgentStorePorts;

  /** @param ports What it works with. */
  constructor(ports: AgentStorePorts) {
    this.#ports = ports;
  }

  /** Scopes that there are here; a person without a home folder has no global one. */
  get scopes(): readonly AgentScope[] {
    const { home, workspace } = this.#ports.project;
    return home === undefined || home === workspace ? ["project"] : ["project", "global"];
  }

  /**
   * Path of the file of an agent.
   *
   * @param file Its name, without the ending.
   * @param scope Where.
   */
  pathOf(file: string, scope: AgentScope): string {
    return join(this.#folder(scope), file + ENDING);
  }

  /**
   * Why nothing can be saved in a scope; null where it can be tried.
   *
   * @param scope The scope.
   */
  async refusal(scope: AgentScope): Promise<string | null> {
    if (this.#ports.isReadOnly()) {
      return "this run changes nothing; start again without --read-only";
    }
    const folder = this.#folder(scope);
    const { state } = await Deno.permissions.query({ name: "write", path: folder });
    return state === "granted" ? null : `this run may not write ${quotePath(folder)}`;
  }

  /** Every file in both places, those of the project first. */
  async list(): Promise<readonly SavedAgent[]> {
    const found = await Promise.all(this.scopes.map(async (scope) => {
      const names = await this.#namesIn(scope);
      return await Promise.all(names.map((name) => this.read(name, scope)));
    }));
    return found.flat().filter((agent) => agent !== null);
  }

  /**
   * Reads a file.
   *
   * @param file Its name, without the ending.
   * @param scope Where.
   * @returns Null if there is none.
   */
  async read(file: string, scope: AgentScope): Promise<SavedAgent | null> {
    const path = this.pathOf(file, scope);
    const common = { file, scope, path };
    const problem = await this.#placeProblem(path, scope);
    const bytes = problem === null ? await readSmallFile(path, MAX_AGENT_BYTES) : undefined;
    if (bytes?.status === "missing") return null;
    if (bytes?.status !== "read") return unreadable(common, problem ?? bytes?.reason ?? "");
    const sha256 = await sha256Hex(bytes.bytes);
    const text = decode(bytes.bytes);
    if (text === null) return { ...unreadable(common, "it is not UTF-8 text"), sha256 };
    const head = readFrontmatter(text, this.#ports.parse);
    if (head.status === "broken") return { ...unreadable(common, head.reason), sha256 };
    const parsed = parseAgent(head.fields, {
      name: file,
      body: head.body,
      origin: scope === "project" ? "project" : "user",
      path,
    });
    return {
      ...common,
      sha256,
      sheet: sheetOf(head.fields, head.body),
      hasPlainTools: hasPlainTools(head.fields),
      definition: parsed.status === "read" ? parsed.definition : null,
      problem: head.flaw ?? (parsed.status === "read" ? "" : parsed.flaws.join("; ")),
      isReadable: head.flaw === undefined,
    };
  }

  /**
   * Writes a new file.
   *
   * @param file Its name, without the ending.
   * @param sheet What it says.
   * @param options Where, and what gives up.
   * @throws {AlisioError} `usage` if there is one already, or the definition could not be used;
   * `config_unwritable` if it cannot be written. Nothing is changed then.
   */
  async create(
    file: string,
    sheet: AgentSheet,
    { scope, signal }: { readonly scope: AgentScope; readonly signal: AbortSignal },
  ): Promise<AgentSaved> {
    const problem = this.nameProblem(file);
    if (problem !== null) throw cannot("save", file, problem);
    const at = new Date(this.#ports.now()).toISOString();
    const [description, ...others] = sheetChanges(EMPTY_SHEET, sheet);
    const fields = [
      ...description === undefined ? [] : [description],
      { path: ["mode"], value: "all" },
      ...others,
      ...stamp(["createdAt", "updatedAt"], at),
    ];
    const text = this.#changed(file, EMPTY_AGENT_TEXT, {
      fields,
      instructions: sheet.instructions,
    });
    return await this.#write({ file, scope }, text, { expectedHash: null, signal });
  }

  /**
   * Writes a file anew. What the person did not change in it stays as it is.
   *
   * @param saved The file as it was read.
   * @param sheet What it is to say.
   * @param signal Gives up.
   * @throws {AlisioError} `usage` if it was changed meanwhile, or the definition could not be used;
   * `config_unwritable` if it cannot be written. Nothing is changed then.
   */
  async change(saved: SavedAgent, sheet: AgentSheet, signal: AbortSignal): Promise<AgentSaved> {
    const { file, scope, path, sha256 } = saved;
    const before = await this.#unchanged(file, path, sha256);
    const fields = sheetChanges(saved.sheet, sheet);
    const tells = sheet.instructions !== saved.sheet.instructions;
    if (fields.length === 0 && !tells) return { path, notice: null };
    const at = new Date(this.#ports.now()).toISOString();
    const text = this.#changed(file, before, {
      fields: [...fields, ...stamp(["updatedAt"], at)],
      ...tells ? { instructions: sheet.instructions } : {},
    });
    return await this.#write({ file, scope }, text, { expectedHash: sha256, signal });
  }

  /**
   * Writes a file a second time, in another place, as it stands.
   *
   * @param saved The file as it was read.
   * @param options Where to, and what gives up.
   * @throws {AlisioError} `usage` if there is one already, or the file was changed meanwhile;
   * `config_unwritable` if it cannot be written. Nothing is changed then.
   */
  async copy(
    { file, path, sha256 }: SavedAgent,
    { scope, signal }: { readonly scope: AgentScope; readonly signal: AbortSignal },
  ): Promise<AgentSaved> {
    const text = await this.#unchanged(file, path, sha256);
    return await this.#write({ file, scope }, text, { expectedHash: null, signal });
  }

  /**
   * Removes a file.
   *
   * @param saved The file as it was read.
   * @returns What the person should know, if there is anything.
   * @throws {AlisioError} If it was changed meanwhile, or cannot be removed.
   */
  async remove({ file, scope, path, sha256 }: SavedAgent): Promise<string | null> {
    await this.#assertMayWrite(file, scope, "delete");
    return await this.#keepingTrust({ file, scope }, async () => {
      const now = await readSmallFile(path, MAX_AGENT_BYTES);
      const isSame = now.status !== "read" || await sha256Hex(now.bytes) === sha256;
      if (!isSame) throw cannot("delete", file, OVERTAKEN);
      try {
        await Deno.remove(path);
      } catch (error) {
        throw unwritable("delete", file, error);
      }
      return null;
    });
  }

  /**
   * What is wrong with the name of a new file; null if nothing is.
   *
   * @param file The name, without an ending.
   */
  nameProblem(file: string): string | null {
    if (!isAgentName(file)) {
      return "an id is made of lower-case letters, digits and single hyphens, 64 at most";
    }
    return BUILT_IN.has(file) ? `"${file}" comes with Alisio; choose another id` : null;
  }

  #folder(scope: AgentScope): string {
    const { workspace, home } = this.#ports.project;
    return join(scope === "project" ? workspace : home ?? workspace, ...FOLDER);
  }

  async #namesIn(scope: AgentScope): Promise<readonly string[]> {
    try {
      const entries = await Array.fromAsync(Deno.readDir(this.#folder(scope)));
      return entries.filter(({ name, isDirectory }) =>
        !isDirectory && name.endsWith(ENDING) && !name.startsWith(".")
      ).map(({ name }) => name.slice(0, -ENDING.length)).sort().slice(0, MAX_FILES);
    } catch (error) {
      const isClosed = error instanceof Deno.errors.NotCapable ||
        error instanceof Deno.errors.PermissionDenied;
      if (isMissing(error) || isClosed) return [];
      throw error;
    }
  }

  /** Why a file must be left alone; null if it need not. */
  async #placeProblem(path: string, scope: AgentScope): Promise<string | null> {
    const { project: { workspace }, isClosed } = this.#ports;
    const real = await realOrPlanned(path);
    if (scope === "project" && !isInside(real, workspace)) {
      return "a link leads it outside the project";
    }
    return isClosed(real) ? "it lies in a place that stays closed in this run" : null;
  }

  /** Why nothing of a folder is changed from here; null where it belongs to the scope. */
  async #folderProblem(scope: AgentScope): Promise<string | null> {
    const { workspace, home } = this.#ports.project;
    const owner = await realOrPlanned(scope === "project" ? workspace : home ?? workspace);
    const real = await realOrPlanned(this.#folder(scope));
    if (real === join(owner, ...FOLDER)) return null;
    if (scope === "project") {
      return `a link leads its folder to ${quotePath(real)}; change it there`;
    }
    // A person may keep their own files anywhere, but what a project holds is the project's.
    const project = isInside(real, await realOrPlanned(workspace)) ? workspace : projectOf(real);
    return project === null
      ? null
      : `a link leads your folder of agents into the project ${
        quotePath(project)
      }; change it there`;
  }

  /** The text of a file, which must still be the one that was read. */
  async #unchanged(file: string, path: string, sha256: string): Promise<string> {
    const bytes = await readSmallFile(path, MAX_AGENT_BYTES);
    const text = bytes.status === "read" ? decode(bytes.bytes) : null;
    const isSame = bytes.status === "read" && await sha256Hex(bytes.bytes) === sha256;
    if (text === null || !isSame) throw cannot("save", file, OVERTAKEN);
    return text;
  }

  #changed(
    file: string,
    text: string,
    change: { readonly fields: readonly YamlChange[]; readonly instructions?: string },
  ): string {
    const { edit, parse } = this.#ports;
    let next: string;
    try {
      next = changeAgentText(text, change, edit);
    } catch (error) {
      throw cannot("save", file, `its fields cannot be changed: ${errorMessage(error)}`);
    }
    const head = readFrontmatter(next, parse);
    if (head.status === "broken") throw cannot("save", file, head.reason);
    const parsed = parseAgent(head.fields, { name: file, body: head.body, origin: "user" });
    if (parsed.status === "invalid") throw cannot("save", file, parsed.flaws.join("; "));
    const { length } = encoder.encode(next);
    if (length <= MAX_AGENT_BYTES) return next;
    throw cannot("save", file, `it has ${length} bytes, the limit is ${MAX_AGENT_BYTES}`);
  }

  async #write(
    { file, scope }: Pick<SavedAgent, "file" | "scope">,
    text: string,
    options: { readonly expectedHash: string | null; readonly signal: AbortSignal },
  ): Promise<AgentSaved> {
    await this.#assertMayWrite(file, scope, "save");
    const path = this.pathOf(file, scope);
    const notice = await this.#keepingTrust({ file, scope }, async () => {
      try {
        const real = await realOrPlanned(path);
        return (await replaceFile(real, encoder.encode(text), options)).sha256;
      } catch (error) {
        throw unwritable("save", file, error);
      }
    });
    return { path, notice };
  }

  async #assertMayWrite(file: string, scope: AgentScope, action: Action): Promise<void> {
    const path = this.pathOf(file, scope);
    const problem = await this.#placeProblem(path, scope) ??
      await this.#folderProblem(scope) ??
      (action === "save" && scope === "project" ? await linkProblem(path) : null) ??
      await this.refusal(scope);
    if (problem !== null) throw cannot(action, file, problem);
  }

  /** What the person's home folder holds needs no trust. */
  async #keepingTrust(
    { file, scope }: Pick<SavedAgent, "file" | "scope">,
    make: () => Promise<string | null>,
  ): Promise<string | null> {
    if (scope === "project") {
      const resource = [...FOLDER, file + ENDING].join("/");
      return await keepTrust({ resource, subject: "the agents", make }, this.#ports.project);
    }
    await make();
    return null;
  }
}

type Action = "save" | "delete";

const OVERTAKEN = "its file was changed meanwhile; open it again";

/** What a project gives the name of an agent to may be any other file of it. */
async function linkProblem(path: string): Promise<string | null> {
  const isLink = await Deno.lstat(path).then(({ isSymlink }) => isSymlink, () => false);
  return isLink ? "its file is a link; change what it leads to" : null;
}

/** The project whose folder of agents this is; null where it is that of none. */
function projectOf(folder: string): string | null {
  const project = dirname(dirname(folder));
  return join(project, ...FOLDER) === folder ? project : null;
}

function stamp(names: readonly string[], at: string): readonly YamlChange[] {
  return names.map((name) => ({ path: ["alisio", name], value: at }));
}

function unreadable(
  common: Pick<SavedAgent, "file" | "scope" | "path">,
  problem: string,
): SavedAgent {
  return {
    ...common,
    problem,
    sheet: EMPTY_SHEET,
    hasPlainTools: false,
    definition: null,
    isReadable: false,
    sha256: "",
  };
}

/** A mark of the byte order stays where it is. */
function decode(bytes: Uint8Array<ArrayBuffer>): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function cannot(action: Action, file: string, reason: string): AlisioError {
  return new AlisioError("usage", `Cannot ${action} agent ${quoted(file, 80)}: ${reason}`);
}

function unwritable(action: Action, file: string, error: unknown): AlisioError {
  if (error instanceof FileError) {
    if (error.code === "already_exists") {
      return cannot(action, file, "there is one of that id already; edit it, or choose another id");
    }
    if (error.code === "changed" || error.code === "not_found") {
      return cannot(action, file, OVERTAKEN);
    }
  }
  const reason = error instanceof Deno.errors.NotCapable
    ? "this run may not write there"
    : errorMessage(error).slice(0, 300);
  return new AlisioError(
    "config_unwritable",
    `Cannot ${action} agent ${quoted(file, 80)}: ${reason}; nothing was changed`,
    { cause: error },
  );
}
