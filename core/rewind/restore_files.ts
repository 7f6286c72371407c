import { replaceFile } from "../files/atomic_write.ts";
import { readEditableFile } from "../files/editable_file.ts";
import { removeFile } from "../files/remove_file.ts";
import type { SessionStore } from "../session/session_store.ts";
import { recordFileChange } from "./file_changes.ts";
import { readBlob } from "./kept_blobs.ts";
import type { FileToRestore, RestorePlan, RestoreRules } from "./plan_restore.ts";

/** For whom files are put back. */
export interface RestoreMaker {
  readonly sessionId: string;
  /** The rewind; absent when one is undone, which leaves nothing to undo. */
  readonly rewindId?: number;
}

/**
 * Puts files back, one after the other. Each has its old content or its new one, whatever happens;
 * what was done is in the record before it is done, so that it can be undone, and done again where
 * it was cut short.
 *
 * @param store The record.
 * @param maker For whom.
 * @param plan What is put back, without conflicts.
 * @param options What may be changed, and what stops it between two files.
 * @throws {FileError} If a file has changed since the plan was made, or the system refuses.
 */
export async function restoreFiles(
  store: SessionStore,
  maker: RestoreMaker,
  plan: RestorePlan,
  options: { readonly rules: RestoreRules; readonly signal: AbortSignal },
): Promise<void> {
  for (const file of plan.files) {
    options.signal.throwIfAborted();
    await restoreFile(store, maker, file, options);
  }
}

async function restoreFile(
  store: SessionStore,
  { sessionId, rewindId }: RestoreMaker,
  file: FileToRestore,
  { rules, signal }: { readonly rules: RestoreRules; readonly signal: AbortSignal },
): Promise<void> {
  const { path, present, target } = file;
  if (rewindId === undefined) return await write(store, file, signal);
  const before = present === null ? null : await readEditableFile(path);
  const change = await recordFileChange(store, { sessionId, rewindId }, {
    path,
    before,
    beforeHash: present,
    afterHash: target,
    isSecret: rules.isSecret(path),
  });
  try {
    await write(store, file, signal);
  } catch (error) {
    await change.failed();
    throw error;
  }
  change.done();
}

async function write(
  store: SessionStore,
  { path, present, target, mode }: FileToRestore,
  signal: AbortSignal,
): Promise<void> {
  if (target === null) {
    if (present !== null) await removeFile(path, { expectedHash: present, signal });
    return;
  }
  const bytes = await readBlob(store, target);
  if (bytes === undefined) throw new Error(`Cannot put back file "${path}": its copy is gone`);
  await replaceFile(path, bytes, { expectedHash: present, signal });
  // A file that stays keeps its own.
  if (present === null && mode !== undefined) await Deno.chmod(path, mode & 0o777);
}
