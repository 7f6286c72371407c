import { join } from "../../../core/paths/path.ts";
import { runTool, type Tool, type ToolPlace } from "../../process/run_tool.ts";

/** More files are not offered. */
const MAX_FILES = 50_000;
const MAX_LIST_BYTES = 8 * 1024 * 1024;
const LIST_MS = 3_000;

/** How long a list counts before it is made anew. */
const FRESH_MS = 5_000;

/** What the walk goes no further in, where no program reads what is ignored. */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([
  "node_modules",
  "target",
  "vendor",
  "venv",
  "__pycache__",
]);
const MAX_DEPTH = 16;

/** Hidden ones, and names that no prompt can hold as they are. */
// deno-lint-ignore no-control-regex -- control characters are what this finds
const UNUSUAL_REGEXP = /(?:^|\/)\.|[\x00-\x1f\x7f-\x9f"]/;

/** Names of files that hold keys. */
const SECRET_REGEXP =
  /(?:^|\/)(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:\.\w+)?|[^/]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx)|credentials?(?:\.\w+)?|secrets?\.\w+)$/i;

/** Where files are looked for. */
export interface WorkspaceFilesOptions extends ToolPlace {
  /** Real path of the workspace. */
  readonly root: string;
}

/**
 * The files of the workspace that a person may want to name: not hidden, not ignored by Git, and no
 * keys. Listed by ripgrep or Git, which know what is ignored, or else by a walk within limits.
 */
export class WorkspaceFiles {
  readonly #options: WorkspaceFilesOptions;
  #entries: readonly string[] = [];
  #listedAt = -Infinity;
  #listing: Promise<readonly string[]> | undefined;

  /** @param options Where they are looked for. */
  constructor(options: WorkspaceFilesOptions) {
    this.#options = options;
  }

  /**
   * Paths of files and folders, relative and with `/`; folders end in one. Never rejects.
   *
   * A list that is a little old is answered at once, and made anew for the next time.
   */
  async list(): Promise<readonly string[]> {
    if (performance.now() - this.#listedAt > FRESH_MS) this.#listing ??= this.#list();
    return this.#entries.length > 0 ? this.#entries : await this.#listing ?? [];
  }

  async #list(): Promise<readonly string[]> {
    const files = await listFiles(this.#options);
    this.#entries = withFolders(files.filter(isOffered).slice(0, MAX_FILES));
    this.#listedAt = performance.now();
    this.#listing = undefined;
    return this.#entries;
  }
}

/**
 * Whether a name is offered at all.
 *
 * @param path A path relative to the workspace.
 */
export function isOffered(path: string): boolean {
  return !UNUSUAL_REGEXP.test(path) && !SECRET_REGEXP.test(path);
}

async function listFiles(options: WorkspaceFilesOptions): Promise<readonly string[]> {
  for (const tool of LISTERS) {
    const limits = {
      maxOutputBytes: MAX_LIST_BYTES,
      timeoutMs: LIST_MS,
      tooMuch: "is_cut",
    } as const;
    const result = await runTool({ ...tool, cwd: options.root, ...limits }, options);
    if (result.status === "done") return parseList(result.output);
  }
  return await walk(options.root);
}

const LISTERS: readonly Tool[] = [
  {
    program: "rg",
    args: ["--files", "--null", "--no-config", "--no-messages", "--no-require-git"],
  },
  {
    program: "git",
    args: [
      // A program that the configuration of the repository names is not started.
      ...["-c", "core.fsmonitor=false", "-c", "core.quotePath=false"],
      ...["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"],
    ],
    env: { GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0" },
  },
];

function parseList(output: Uint8Array): readonly string[] {
  const text = new TextDecoder().decode(output);
  const names = text.slice(0, text.lastIndexOf("\0") + 1).split("\0");
  // A name that is no UTF-8 could not be given back.
  return names.filter((name) => name !== "" && !name.includes("\ufffd"))
    .map((name) => Deno.build.os === "windows" ? name.replaceAll("\\", "/") : name);
}

async function walk(root: string): Promise<readonly string[]> {
  const files: string[] = [];
  const end = performance.now() + LIST_MS;
  let folders: readonly string[] = [""];
  for (let depth = 0; depth < MAX_DEPTH && folders.length > 0; depth++) {
    const deeper: string[] = [];
    for (const folder of folders) {
      if (files.length > MAX_FILES || performance.now() > end) return files;
      try {
        for await (const { name, isFile, isDirectory } of Deno.readDir(join(root, folder))) {
          const path = folder === "" ? name : `${folder}/${name}`;
          if (isFile) files.push(path);
          else if (isDirectory && isOffered(path) && !SKIPPED_FOLDERS.has(name)) deeper.push(path);
          if (files.length > MAX_FILES) break;
        }
      } catch {
        // Gone, or not for this person.
      }
    }
    folders = deeper;
  }
  return files;
}

function withFolders(files: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const file of files) {
    let end = file.lastIndexOf("/");
    while (end > 0 && !folders.has(file.slice(0, end + 1))) {
      folders.add(file.slice(0, end + 1));
      end = file.lastIndexOf("/", end - 1);
    }
  }
  return [...folders, ...files].sort((one, other) =>
    depthOf(one) - depthOf(other) || compare(one, other)
  );
}

function depthOf(path: string): number {
  return path.split("/").length - (path.endsWith("/") ? 1 : 0);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
