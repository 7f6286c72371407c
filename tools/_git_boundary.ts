import { isInside } from "../core/paths/is_inside.ts";
import { basename, dirname, join, relative, resolve } from "../core/paths/path.ts";
import { quotePath } from "../core/paths/quote_path.ts";
import type { CommandOutcome } from "../core/process/run_command.ts";
import { GitDirectoryInspection, readCommonDirectory, readGitPointer } from "./_git_directory.ts";
import { RecordSplitter } from "./_record_splitter.ts";

/** Longest path in an index that is looked at. */
const MAX_INDEX_RECORD_BYTES = 65_536;
const GITLINK_REGEXP = /^160000 [0-9a-f]+ \d\t([^]+)$/;

/** Runs a Git command that only looks. */
export type GitCommand = (
  args: readonly string[],
  onOutput?: (bytes: Uint8Array, stream: "stdout" | "stderr") => void,
) => Promise<CommandOutcome>;

/** What a repository is judged by. */
export interface GitBoundary {
  /** Real path of the workspace. */
  readonly workspace: string;
  /** Real paths that tools may touch; the workspace is the first. */
  readonly roots: readonly string[];
  /** What limits a command to files of the workspace, from `--` on. */
  readonly pathspecs: readonly string[];
}

/** Whether Git may look at the repository of a workspace. */
export type RepositoryVerdict =
  | {
    readonly kind: "usable";
    /** Whether submodules may be looked at, too. */
    readonly withSubmodules: boolean;
    /** What the reader of the result must know. */
    readonly note?: string;
  }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Decides whether the repository of a workspace may be looked at: everything that Git would read
 * has to lie in the allowed roots, or belong to the workspace by what lies outside of them.
 *
 * What lies in the roots is not believed, because it may come from anywhere: a `.git` file can
 * name any repository of the machine. What lies outside is believed, because nobody writes there
 * but its owner. So data outside the roots is accepted if
 *
 * - it is the `.git` folder of a working tree that the workspace is a part of,
 * - its main repository lists the working tree among its worktrees, or
 * - its own configuration says where its files are, and the workspace is there: a submodule.
 *
 * @param boundary The workspace.
 * @param git Runs Git in the workspace.
 */
export async function judgeRepository(
  boundary: GitBoundary,
  git: GitCommand,
): Promise<RepositoryVerdict> {
  return await new RepositoryJudge(boundary, git).judge();
}

/** Where Git found things; real paths. */
interface Places {
  /** Data of the working tree. */
  readonly own: string;
  /** Data that it shares with other working trees; mostly the same. */
  readonly common: string;
  /** The working tree. */
  readonly top: string;
}

class RepositoryJudge {
  readonly #boundary: GitBoundary;
  readonly #git: GitCommand;
  readonly #inspection: GitDirectoryInspection;

  constructor(boundary: GitBoundary, git: GitCommand) {
    this.#boundary = boundary;
    this.#git = git;
    this.#inspection = new GitDirectoryInspection(boundary.roots);
  }

  async judge(): Promise<RepositoryVerdict> {
    // Before Git runs at all: it would wait for a pipe, and read a device to its end.
    const early = await this.#inspectNearest();
    if (early !== null) return refused(early);
    const places = await this.#locate();
    if (typeof places === "string") return { kind: "refused", reason: places };
    const problem = await this.#problemOf(places);
    if (problem !== null) return { kind: "refused", reason: problem };
    return await this.#judgeSubmodules(places);
  }

  async #inspectNearest(): Promise<string | null> {
    let folder = this.#boundary.workspace;
    while (this.#inspection.isAllowed(folder)) {
      const path = join(folder, ".git");
      if (await exists(path)) {
        const own = await readGitPointer(path);
        return own === null ? null : await this.#inspectWithCommon(own);
      }
      if (dirname(folder) === folder) break;
      folder = dirname(folder);
    }
    return null;
  }

  /** Looks through data of a repository as far as it lies in the roots. */
  async #inspectWithCommon(own: string): Promise<string | null> {
    if (!this.#inspection.isAllowed(own)) return null;
    const problem = await this.#inspection.gitDirectory(own);
    if (problem !== null) return problem;
    const common = await readCommonDirectory(own);
    if (common === null || !this.#inspection.isAllowed(common)) return null;
    return await this.#inspection.gitDirectory(common);
  }

  async #locate(): Promise<Places | string> {
    const { stdout, stderr, exitCode } = await this.#git([
      "rev-parse",
      "--is-bare-repository",
      "--is-inside-work-tree",
      "--absolute-git-dir",
      "--git-common-dir",
      "--show-toplevel",
    ]);
    const lines = stdout.replace(/\r?\n$/, "").split(/\r?\n/);
    const [isBare, isInTree, own, common, top] = lines;
    if (isBare === "true") return "the repository is a bare one, without files";
    if (isInTree === "false") {
      return "the repository's configuration puts its files outside the workspace";
    }
    if (exitCode !== 0) {
      return stderr.trim().slice(0, 1_000) || "Git cannot tell where the repository is";
    }
    if (lines.length !== 5 || own === undefined || common === undefined || top === undefined) {
      return "the path of the repository holds a line end";
    }
    // Git says where it was started itself; the folder of that name may have been exchanged.
    if (!isInside(this.#boundary.workspace, await realOr(resolve(top)))) {
      return "the workspace moved while Git looked at it; make the call again";
    }
    const absolute = resolve(this.#boundary.workspace, common);
    return { own: resolve(own), common: await realOr(absolute), top: resolve(top) };
  }

  async #problemOf(places: Places): Promise<string | null> {
    const outside = [places.own, places.common].filter((path) => !this.#inspection.isAllowed(path));
    const [first] = outside;
    if (first === undefined) return await this.#problemInside(places);
    if (outside.length === 2 && await this.#belongsToWorkspace(places)) return null;
    return `the repository keeps its data in ${
      quotePath(first)
    }, outside the workspace and every ` +
      "directory that this run may use, and nothing there says that it belongs to this " +
      "workspace; go on without Git";
  }

  async #problemInside({ own, common }: Places): Promise<string | null> {
    const problem = await this.#inspection.gitDirectory(own) ??
      await this.#inspection.gitDirectory(common);
    if (problem !== null) return unsafe(problem);
    if (!await exists(join(common, "objects", "info", "alternates"))) return null;
    const { exitCode, stdout, truncated } = await this.#git(["count-objects", "-v"]);
    if (exitCode !== 0 || truncated) return "Git cannot tell where its objects are";
    for (const line of stdout.split("\n")) {
      const path = /^alternate: (.*?)\r?$/.exec(line)?.[1];
      if (path === undefined) continue;
      const real = await realOr(path);
      if (!this.#inspection.isAllowed(real)) {
        return `the repository takes objects from ${quotePath(real)}, outside the workspace and ` +
          "every directory that this run may use; go on without Git";
      }
      const flaw = await this.#inspection.objects(real);
      if (flaw !== null) return unsafe(flaw);
    }
    return null;
  }

  /** Whether data outside the roots says itself that the working tree is its own. */
  async #belongsToWorkspace({ own, common, top }: Places): Promise<boolean> {
    if (isSame(own, common)) {
      if (basename(own) === ".git" && isSame(dirname(own), top)) return true;
      const { exitCode, stdout } = await this.#git(["config", "--local", "core.worktree"]);
      const named = stdout.replace(/\r?\n$/, "");
      return exitCode === 0 && named !== "" && await isSameReal(resolve(own, named), top);
    }
    if (!isSame(dirname(own), join(common, "worktrees"))) return false;
    const { exitCode, stdout } = await this.#git(["worktree", "list", "--porcelain"]);
    if (exitCode !== 0) return false;
    // The main working tree comes first. It is not listed by a pointer of its own.
    const [, ...linked] = stdout.split(/\r?\n/).filter((line) => line.startsWith("worktree "));
    for (const line of linked) {
      if (await isSameReal(resolve(line.slice("worktree ".length)), top)) return true;
    }
    return false;
  }

  /** Git reads the commit of a submodule from wherever its `.git` leads. */
  async #judgeSubmodules(places: Places): Promise<RepositoryVerdict> {
    const none = { kind: "usable", withSubmodules: false } as const;
    if (!await exists(join(places.top, ".gitmodules"))) return none;
    const paths = await this.#submodulePaths();
    const strange = paths === null ? "their list" : await this.#strangeSubmodule(paths, places);
    if (strange === null) return { kind: "usable", withSubmodules: true };
    return { ...none, note: `Submodules are left out: ${strange} cannot be looked at safely` };
  }

  async #submodulePaths(): Promise<readonly string[] | null> {
    const paths: string[] = [];
    let isWhole = true;
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const records = new RecordSplitter(0, MAX_INDEX_RECORD_BYTES, (record, isComplete) => {
      if (record[0] !== 0x31 || record[1] !== 0x36) return;
      try {
        const path = GITLINK_REGEXP.exec(decoder.decode(record))?.[1];
        if (path === undefined || !isComplete) isWhole = false;
        else paths.push(path);
      } catch {
        isWhole = false;
      }
    });
    const { exitCode } = await this.#git(
      ["ls-files", "--stage", "-z", ...this.#boundary.pathspecs],
      (bytes, stream) => stream === "stdout" && records.write(bytes),
    );
    return exitCode === 0 && isWhole ? paths : null;
  }

  async #strangeSubmodule(paths: readonly string[], places: Places): Promise<string | null> {
    for (const path of paths) {
      const pointer = join(this.#boundary.workspace, path, ".git");
      if (!await exists(pointer)) continue;
      const own = await readGitPointer(pointer);
      if (own === null || !await this.#mayBeRead(own, places)) return quotePath(path);
    }
    return null;
  }

  async #mayBeRead(own: string, places: Places): Promise<boolean> {
    // What belongs to the repository of the workspace was judged with it.
    if (!this.#inspection.isAllowed(own)) return isInside(own, places.common);
    if (await this.#inspectWithCommon(own) !== null) return false;
    const common = await readCommonDirectory(own);
    return common !== null && this.#inspection.isAllowed(common);
  }
}

function refused(problem: string): RepositoryVerdict {
  return { kind: "refused", reason: unsafe(problem) };
}

function unsafe(problem: string): string {
  return `the repository cannot be looked at safely: ${problem}; go on without Git`;
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    // What this process may not look at counts, so that it is not passed over.
    return !(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory);
  }
}

async function realOr(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch {
    return path;
  }
}

async function isSameReal(path: string, real: string): Promise<boolean> {
  return isSame(path, real) || isSame(await realOr(path), real);
}

function isSame(first: string, second: string): boolean {
  return relative(first, second) === "";
}
