import type { PluginSessions, PluginUi } from "@alisio/sdk";
import type { ParallelWrites } from "../subagent_settings.ts";
import { GitError } from "./git.ts";
import { mergeBranch } from "./merge_branch.ts";
import { lookAtRepository, type RepositoryVerdict, shownName } from "./repository.ts";
import {
  addWorktree,
  branchFacts,
  commitOf,
  commitWork,
  describeWork,
  isThere,
  removeWorktree,
  restoreWorktree,
  type Worktree,
  worktreeOf,
} from "./worktree.ts";
import { WriteLocks } from "./write_locks.ts";
import type { NewWriter, Writer, WriterGuard, WriterPlace } from "./writer_guard.ts";
import { untilAborted } from "../until_aborted.ts";

/** What keeping writers apart needs. */
export interface WritersPorts {
  readonly sessions: PluginSessions;
  readonly ui: Pick<PluginUi, "select" | "interactive">;
  readonly parallelWrites: ParallelWrites;
  /** Absolute path of the folder for worktrees. */
  readonly worktreeDir: string;
}

type Mode = Exclude<ParallelWrites, "ask">;

interface ActiveWriter {
  readonly ancestors: readonly string[];
  readonly folder: string;
}

interface Decided {
  readonly mode: Mode;
  readonly notes: readonly string[];
}

const QUESTION = "Several agents that can change files would run at once. How are they kept apart?";
const CHOICES: readonly {
  readonly value: Mode;
  readonly label: string;
  readonly description: string;
}[] = [
  {
    value: "worktree",
    label: "Worktree",
    description: "Each further one works on a Git branch of its own, to be merged later",
  },
  { value: "serial", label: "Serial", description: "They take turns" },
  { value: "shared", label: "Shared", description: "They share the folder, at your own risk" },
];

/** Keeps writers apart, as `parallelWrites` says. */
export class Writers implements WriterGuard {
  readonly #ports: WritersPorts;
  readonly #locks = new WriteLocks();
  /** Those that were placed and have not ended. */
  readonly #active = new Map<string, ActiveWriter>();
  /** What was chosen, by the session at the top. */
  readonly #chosen = new Map<string, Promise<Decided>>();
  /** Worktrees that a command of the person works on. */
  readonly #busy = new Set<string>();
  /** Trees of the worktrees of those that have not begun. */
  readonly #made = new Map<string, string>();
  #folder: Promise<string> | undefined;

  /** @param ports What it needs. */
  constructor(ports: WritersPorts) {
    this.#ports = ports;
  }

  /** @inheritdoc */
  async place(writer: NewWriter): Promise<WriterPlace> {
    const { sessions } = this.#ports;
    const ancestors = [writer.parentId, ...sessions.ancestors(writer.parentId)];
    const folder = sessions.workspace(writer.parentId);
    const others = [...this.#active].filter(([id, active]) =>
      active.folder === folder && !(ancestors.includes(id) && !writer.isBackground)
    );
    if (others.length === 0) {
      this.#active.set(writer.id, { ancestors, folder });
      return { notes: [] };
    }
    const verdict = await this.#look(folder, writer.signal);
    const { mode, notes } = await this.#decide(ancestors, verdict, writer.signal);
    const place = mode === "worktree"
      ? await this.#newWorktree(writer, verdict)
      : { notes: [] as readonly string[] };
    this.#active.set(writer.id, { ancestors, folder: place.workspace ?? folder });
    return { ...place, notes: [...notes, ...place.notes] };
  }

  /** @inheritdoc */
  async forget(id: string): Promise<void> {
    this.#active.delete(id);
    try {
      const top = this.#made.get(id);
      if (top !== undefined) {
        await removeWorktree(top, worktreeOf(await this.#worktreeFolder(), id));
      }
    } catch {
      // An empty worktree stays, which git worktree remove takes away.
    } finally {
      this.#made.delete(id);
    }
  }

  /** @inheritdoc */
  async enter(writer: Writer, signal: AbortSignal): Promise<readonly string[]> {
    const { id, ancestors, workspace: folder } = writer;
    signal.throwIfAborted();
    this.#active.set(id, { ancestors, folder });
    try {
      const notes = [...await this.#restore(writer, signal)];
      const isTaken = this.#locks.isTaken(folder, ancestors);
      const top = ancestors.at(-1) ?? id;
      if (isTaken && !this.#chosen.has(top) && this.#ports.parallelWrites === "ask") {
        const verdict = await this.#look(folder, signal);
        notes.push(...(await this.#decide(ancestors, verdict, signal)).notes);
      }
      if (await this.#modeOf(top) !== "shared") {
        await this.#locks.acquire({ id, folder, ancestors }, signal);
      }
      this.#made.delete(id);
      return notes;
    } catch (error) {
      this.#active.delete(id);
      throw error;
    }
  }

  /** @inheritdoc */
  pause(id: string): void {
    this.#locks.pause(id);
  }

  /** @inheritdoc */
  async resume(id: string, signal: AbortSignal): Promise<void> {
    await this.#locks.resume(id, signal);
  }

  /** @inheritdoc */
  async leave(id: string): Promise<readonly string[]> {
    try {
      const { sessions } = this.#ports;
      const workspace = sessions.workspace(id);
      // Whoever works where the person does is in no worktree, whatever is wrong with their folder.
      if (workspace === sessions.workspace(sessions.ancestors(id).at(-1) ?? id)) return [];
      const worktree = await this.#worktreeIn(workspace);
      if (worktree === null || !await isThere(worktree.path)) return [];
      // Whoever it was made for keeps what its own tasks did in it.
      if (worktree.id !== id && this.#active.has(worktree.id)) return [];
      return await this.#settle(worktree, id);
    } catch (error) {
      return [`Its worktree could not be looked at: ${messageOf(error)}`];
    } finally {
      this.#active.delete(id);
      this.#locks.release(id);
    }
  }

  /**
   * Merges the branch of a task, and removes its worktree.
   *
   * @param id The task.
   * @returns What the person is told.
   * @throws {Error} If it cannot be merged. Nothing was changed then.
   */
  async merge(id: string): Promise<string> {
    return await this.#exclusively("merge", id, async (worktree, top) => {
      const { branch, path } = worktree;
      const tip = await commitOf(top, `refs/heads/${branch}`);
      if (tip === null) {
        if (await isThere(path)) throw new GitError(`its branch ${branch} is gone`);
        throw new GitError("it has no worktree and no branch: there is nothing to merge");
      }
      if (await isThere(path)) {
        const problem = await commitWork(worktree, this.#subject(id));
        if (problem !== null) {
          throw new GitError(
            `not all of its work is committed: ${problem}; commit it in ${shownName(path)} first`,
          );
        }
      }
      const { stat } = await branchFacts(top, branch);
      const wasNew = await mergeBranch(top, branch, await this.#worktreeFolder());
      await removeWorktree(top, worktree);
      return wasNew
        ? `Merged ${branch}: ${stat || "no file differs"}; its worktree and branch were removed`
        : `${branch} was merged already; its worktree and branch were removed`;
    });
  }

  /**
   * Removes the worktree and the branch of a task, with all its changes.
   *
   * @param id The task.
   * @returns What the person is told.
   * @throws {Error} If they cannot be removed.
   */
  async discard(id: string): Promise<string> {
    return await this.#exclusively("discard", id, async (worktree, top) => {
      const { branch, path } = worktree;
      const isSomething = await isThere(path) ||
        await commitOf(top, `refs/heads/${branch}`) !== null;
      if (!isSomething) {
        throw new GitError("it has no worktree and no branch: there is nothing to discard");
      }
      await removeWorktree(top, worktree);
      return `Discarded ${branch} and its worktree`;
    });
  }

  async #exclusively(
    verb: "merge" | "discard",
    id: string,
    work: (worktree: Worktree, top: string) => Promise<string>,
  ): Promise<string> {
    const cannot = `Cannot ${verb} task ${id.slice(0, 8)}`;
    if (this.#busy.has(id)) throw new Error(`${cannot}: that is being done already`);
    this.#busy.add(id);
    try {
      const { sessions } = this.#ports;
      const info = sessions.get(id);
      if (info === undefined) throw new GitError("there is no such task");
      if (this.#isInUse(id) || info.status === "running" || info.status === "queued") {
        throw new GitError("it, or a task of it, has not ended; wait for it or cancel it first");
      }
      if (sessions.capabilities(sessions.ancestors(id).at(-1) ?? id).readOnly) {
        throw new GitError("this session only reads");
      }
      const worktree = worktreeOf(await this.#worktreeFolder(), id);
      const own = await this.#worktreeIn(info.workspace);
      if (own?.id !== id) throw new GitError("it worked in no worktree of its own");
      const verdict = await this.#look(await this.#targetOf(id));
      if (verdict.kind !== "usable") {
        throw new GitError(verdict.kind === "none" ? "there is no repository" : verdict.reason);
      }
      return await work(worktree, verdict.repository.top);
    } catch (error) {
      throw new Error(`${cannot}: ${messageOf(error)}`, { cause: error });
    } finally {
      this.#busy.delete(id);
    }
  }

  /** The tree that its branch came from: that of its caller, or one further up where that is gone. */
  async #targetOf(id: string): Promise<string> {
    const { sessions } = this.#ports;
    const above = sessions.ancestors(id);
    for (const each of above) {
      const folder = sessions.workspace(each);
      if (!await isThere(folder)) continue;
      if (this.#active.has(each)) throw new GitError("the task that it worked for has not ended");
      return folder;
    }
    throw new GitError("the folder that it came from is gone");
  }

  #isInUse(id: string): boolean {
    const { sessions } = this.#ports;
    if (sessions.isRunning(id) || this.#active.has(id)) return true;
    return sessions.children(id).some(({ id: child, status }) =>
      status === "running" || status === "queued" || this.#isInUse(child)
    );
  }

  /** Commits what is there and tells of it; nothing is kept of a worktree without changes. */
  async #settle(worktree: Worktree, leaving: string): Promise<readonly string[]> {
    const { sessions } = this.#ports;
    const top = await this.#targetTree(worktree.id);
    const problem = await commitWork(worktree, this.#subject(worktree.id)).catch(messageOf);
    const facts = await branchFacts(top, worktree.branch);
    const isUsed = sessions.children(worktree.id).some(({ id, status }) =>
      id !== leaving && (status === "running" || status === "queued" || this.#isInUse(id))
    );
    if (problem === null && !facts.hasCommits) {
      if (isUsed) return [];
      await removeWorktree(top, worktree);
      return ["It changed nothing, so its worktree and branch were removed"];
    }
    return [
      describeWork(worktree, facts),
      ...problem === null
        ? []
        : [`Not all of its work is committed: ${problem}; look into ${shownName(worktree.path)}`],
    ];
  }

  async #targetTree(id: string): Promise<string> {
    const { sessions } = this.#ports;
    for (const each of sessions.ancestors(id)) {
      const folder = sessions.workspace(each);
      if (!await isThere(folder)) continue;
      const verdict = await this.#look(folder);
      if (verdict.kind === "usable") return verdict.repository.top;
      if (verdict.kind === "refused") throw new GitError(verdict.reason);
    }
    throw new GitError("the repository that it came from is gone");
  }

  /** A task that goes on may find its worktree merged, discarded or removed. */
  async #restore({ id, workspace }: Writer, signal: AbortSignal): Promise<readonly string[]> {
    if (this.#busy.has(id)) throw new Error("Its worktree is being merged or discarded");
    if (await isThere(workspace)) return [];
    const worktree = await this.#worktreeIn(workspace);
    if (worktree === null) return [];
    const { sessions } = this.#ports;
    const above = sessions.ancestors(worktree.id)[0] ?? "";
    const verdict = await this.#look(sessions.workspace(above), signal);
    if (verdict.kind !== "usable") {
      throw new Error(
        "Its worktree is gone and cannot be made again: " +
          (verdict.kind === "none" ? "there is no repository" : verdict.reason),
      );
    }
    await restoreWorktree(verdict.repository, worktree);
    return ["Its worktree was gone, and was made again"];
  }

  async #newWorktree(writer: NewWriter, verdict: RepositoryVerdict): Promise<WriterPlace> {
    if (verdict.kind === "none") return inTurn("the folder is in no Git repository");
    if (verdict.kind === "refused") return inTurn(verdict.reason);
    const fixed = this.#ports.sessions.fixedWorkspace?.();
    if (fixed !== undefined) return inTurn(fixed);
    try {
      const { repository } = verdict;
      const worktree = worktreeOf(await this.#worktreeFolder(), writer.id);
      await addWorktree(repository, worktree, writer.signal);
      this.#made.set(writer.id, repository.top);
      const inside = repository.prefix.replace(/\/$/, "");
      return {
        workspace: inside === "" ? worktree.path : `${worktree.path}/${inside}`,
        notes: repository.notes,
      };
    } catch (error) {
      writer.signal.throwIfAborted();
      return inTurn(messageOf(error));
    }
  }

  async #look(folder: string, signal?: AbortSignal): Promise<RepositoryVerdict> {
    try {
      return await lookAtRepository(folder, {
        worktrees: this.#ports.worktreeDir,
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      signal?.throwIfAborted();
      return { kind: "refused", reason: messageOf(error) };
    }
  }

  async #decide(
    ancestors: readonly string[],
    verdict: RepositoryVerdict,
    signal: AbortSignal,
  ): Promise<Decided> {
    const { parallelWrites, ui } = this.#ports;
    if (parallelWrites !== "ask") return { mode: parallelWrites, notes: [] };
    const top = ancestors.at(-1) ?? "";
    let chosen = this.#chosen.get(top);
    if (chosen === undefined) {
      chosen = ui.interactive() ? ask(ui, verdict) : Promise.resolve({
        mode: "serial",
        notes: ['Writers take turns: nobody can be asked, and "parallelWrites" is "ask"'],
      });
      this.#chosen.set(top, chosen);
    }
    return await untilAborted(chosen, signal);
  }

  async #modeOf(top: string): Promise<Mode> {
    const { parallelWrites } = this.#ports;
    if (parallelWrites !== "ask") return parallelWrites;
    return (await this.#chosen.get(top))?.mode ?? "serial";
  }

  /** The worktree that a folder is in, where it is one of these. */
  async #worktreeIn(workspace: string): Promise<Worktree | null> {
    const folder = await this.#worktreeFolder();
    if (!workspace.startsWith(`${folder}/`)) return null;
    const [id = ""] = workspace.slice(folder.length + 1).split("/");
    return worktreeOf(folder, id);
  }

  async #worktreeFolder(): Promise<string> {
    this.#folder ??= madeFolder(this.#ports.worktreeDir);
    try {
      return await this.#folder;
    } catch (error) {
      this.#folder = undefined;
      throw error;
    }
  }

  #subject(id: string): string {
    const { agent = "agent", title = "work" } = this.#ports.sessions.get(id) ?? {};
    const subject = `${agent}: ${title}`.replaceAll(/\s+/g, " ").trim();
    return subject.length <= 72 ? subject : `${subject.slice(0, 71)}…`;
  }
}

function inTurn(reason: string): WriterPlace {
  return { notes: [`No worktree, so writers take turns: ${reason}`] };
}

async function ask(ui: WritersPorts["ui"], verdict: RepositoryVerdict): Promise<Decided> {
  const options = CHOICES.filter(({ value }) => verdict.kind !== "none" || value !== "worktree");
  try {
    const value = await ui.select({ title: QUESTION, options });
    const mode = CHOICES.find((choice) => choice.value === value)?.value;
    if (mode !== undefined) return { mode, notes: [] };
  } catch {
    // Who cannot answer has not chosen.
  }
  return { mode: "serial", notes: ["Writers take turns: the question was not answered"] };
}

async function madeFolder(path: string): Promise<string> {
  try {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
    return await Deno.realPath(path);
  } catch (error) {
    const reason = error instanceof Deno.errors.NotCapable
      ? "this run may not write there; name one that is there and holds nothing but worktrees"
      : messageOf(error);
    throw new GitError(`the folder ${shownName(path)} for worktrees cannot be used: ${reason}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
