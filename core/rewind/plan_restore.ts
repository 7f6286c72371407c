import { assertWritable } from "../files/atomic_write.ts";
import { readEditableFile } from "../files/editable_file.ts";
import { FileError } from "../files/file_error.ts";
import { statRegularFile } from "../files/regular_file.ts";
import { sha256Hex } from "../files/sha256.ts";
import type { JudgedPath } from "../paths/judged_path.ts";
import { PathError } from "../paths/path_error.ts";
import type { SessionStore } from "../session/session_store.ts";
import type { KeptBefore, StoredFileChange } from "./file_changes.ts";
import { readBlob } from "./kept_blobs.ts";

/** What may be changed, as for tools. */
export interface RestoreRules {
  /** Resolves a path. Throws where it cannot be resolved. */
  readonly judgePath: (path: string) => Promise<JudgedPath>;
  /** Whether a real path is one of the files that decide what Alisio may do. */
  readonly isProtected: (real: string) => boolean;
  /** Whether a real path is a file of stored keys. */
  readonly isSecret: (real: string) => boolean;
}

/** A file that is put back. */
export interface FileToRestore {
  /** Real path. */
  readonly path: string;
  /** SHA-256 of what it holds now; null where it is not there. */
  readonly present: string | null;
  /** SHA-256 of what it will hold; null where it is removed. */
  readonly target: string | null;
  /** Permission bits that it had. */
  readonly mode?: number;
}

/** A file, and why it is not put back. */
export interface FileLeft {
  /** Real path. */
  readonly path: string;
  /** One clause, without a final period. */
  readonly reason: string;
}

/** What becomes of files. */
export interface RestorePlan {
  /** In the order in which they are put back: what was changed last comes first. */
  readonly files: readonly FileToRestore[];
  /** Files that others changed too, or that may not be changed: nothing is put back then. */
  readonly conflicts: readonly FileLeft[];
  /** Files that stay as they are, because nothing was kept of them. */
  readonly left: readonly FileLeft[];
  /** Numbers of the changes that are taken back. */
  readonly changes: readonly number[];
}

const NOT_KEPT: Readonly<Record<KeptBefore, string>> = {
  blob: "what it held is gone from the state folder",
  absent: "it is not known what it held",
  secret: "it may hold a secret, so no copy of it was kept",
  no_room: "there was no room to keep what it held",
  unknown: "another program changed it at the same moment",
  expired: "what it held was kept for a limited time, which is over",
};

const SHORT_ID = 8;
const SELECT_OTHER = `
  SELECT other.session_id FROM file_changes other JOIN file_changes own ON own.seq = ?1
  WHERE other.path = own.path AND other.session_id <> own.session_id
    AND other.after_hash IS ?2 AND other.created_at >= own.created_at
  ORDER BY other.seq DESC LIMIT 1`;

/**
 * Finds out what taking changes back would do, and changes nothing: the last state of each file that
 * Alisio knows of must be the one that it has now.
 *
 * @param store The record.
 * @param changes The changes, oldest first.
 * @param rules What may be changed.
 */
export async function planRestore(
  store: SessionStore,
  changes: readonly StoredFileChange[],
  rules: RestoreRules,
): Promise<RestorePlan> {
  const byPath = Map.groupBy(changes, ({ path }) => path);
  const newestFirst = [...byPath].sort(([, a], [, b]) =>
    (b.at(-1)?.seq ?? 0) - (a.at(-1)?.seq ?? 0)
  );
  const files: FileToRestore[] = [];
  const conflicts: FileLeft[] = [];
  const left: FileLeft[] = [];
  for (const [path, rows] of newestFirst) {
    const fate = await planFile(store, path, rows, rules);
    if (fate.kind === "conflict") conflicts.push({ path, reason: fate.reason });
    else if (fate.kind === "left") left.push({ path, reason: fate.reason });
    else if (fate.kind === "restore") files.push(fate.file);
  }
  const isLeft = new Set(left.map(({ path }) => path));
  const taken = changes.filter(({ path }) => !isLeft.has(path)).map(({ seq }) => seq);
  return { files, conflicts, left, changes: taken };
}

type Fate =
  | { readonly kind: "restore"; readonly file: FileToRestore }
  | { readonly kind: "nothing" }
  | { readonly kind: "conflict" | "left"; readonly reason: string };

async function planFile(
  store: SessionStore,
  path: string,
  rows: readonly StoredFileChange[],
  rules: RestoreRules,
): Promise<Fate> {
  const problem = await pathProblem(path, rules);
  if (problem !== null) return { kind: "conflict", reason: problem };
  const present = await presentHash(path);
  if (typeof present === "object" && present !== null) return { kind: "conflict", ...present };
  const chain = happened(rows, present);
  const [first] = chain;
  if (first === undefined || first.before === present) return { kind: "nothing" };
  const reason = foreignChange(store, chain, present) ?? writeProblem(path);
  if (reason !== null) return { kind: "conflict", reason };
  const { before: target, kept, mode } = first;
  const file = { path, present, target, ...(mode === undefined ? {} : { mode }) };
  if (target === null) return { kind: "restore", file };
  if (kept !== "blob") return { kind: "left", reason: NOT_KEPT[kept] };
  const bytes = await readBlob(store, target);
  return bytes === undefined ? { kind: "left", reason: NOT_KEPT.blob } : { kind: "restore", file };
}

async function pathProblem(path: string, rules: RestoreRules): Promise<string | null> {
  try {
    const { real, root } = await rules.judgePath(path);
    if (real !== path) return "its path leads elsewhere now, through a link";
    if (root === null) return "it lies outside of the folders that tools may change here";
    return rules.isProtected(real) ? "it is one of the files that are protected" : null;
  } catch (error) {
    if (error instanceof PathError) return error.message;
    throw error;
  }
}

/** Null where there is no file. */
async function presentHash(
  path: string,
): Promise<string | null | { readonly reason: string }> {
  try {
    const bytes = await readEditableFile(path);
    return bytes === null ? null : await sha256Hex(bytes);
  } catch (error) {
    if (error instanceof FileError) return { reason: error.message };
    throw error;
  }
}

/** What cannot be written is found out before anything is changed. */
function writeProblem(path: string): string | null {
  try {
    const info = statRegularFile(path, "write");
    if (info !== null) assertWritable(info, path);
    return null;
  } catch (error) {
    if (error instanceof FileError) return error.message;
    throw error;
  }
}

/** Leaves out what was recorded and, as what came after it shows, not done. */
function happened(
  rows: readonly StoredFileChange[],
  present: string | null,
): readonly StoredFileChange[] {
  const chain: StoredFileChange[] = [];
  let next = present;
  for (const row of rows.toReversed()) {
    if (!row.isDone && row.after !== next && row.before === next) continue;
    chain.unshift(row);
    next = row.before;
  }
  return chain;
}

function foreignChange(
  store: SessionStore,
  chain: readonly StoredFileChange[],
  present: string | null,
): string | null {
  const before = chain.findIndex(({ after }, index) => {
    const next = chain[index + 1];
    return next !== undefined && next.before !== after;
  });
  const [ours, next] = chain.slice(before);
  if (before !== -1 && ours !== undefined && next !== undefined) {
    return `${changedBy(store, ours, next.before)}, between two changes of this session`;
  }
  const last = chain.at(-1);
  if (last === undefined || last.after === present) return null;
  return changedBy(store, last, present);
}

/** Another session, such as the one that this is a copy of, is no stranger. */
function changedBy(
  store: SessionStore,
  { seq }: Pick<StoredFileChange, "seq">,
  hash: string | null,
): string {
  const row = store.database.get(SELECT_OTHER, seq, hash);
  const verb = hash === null ? "deleted or moved" : "changed";
  return row === undefined
    ? `it was ${verb} by other hands than Alisio's`
    : `it was ${verb} in session ${String(row.session_id).slice(0, SHORT_ID)} since`;
}
