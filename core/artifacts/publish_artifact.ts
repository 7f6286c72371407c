import { dirname, join } from "../paths/path.ts";
import type { Artifact, ArtifactFile, ArtifactKind } from "./artifact.ts";

/** What is published. */
export interface NewArtifact {
  readonly sessionId: string;
  readonly title: string;
  /** Begins the name of its folder: lower-case words with hyphens. */
  readonly slug: string;
  readonly kind: ArtifactKind;
  readonly mimeType: string;
  readonly previewable: boolean;
  /** The first is the one that it is opened at. */
  readonly files: readonly [ArtifactFile, ...ArtifactFile[]];
  /** Name of a download of all files together, where there are several. */
  readonly download?: string;
  /** The call that made it. */
  readonly callId?: string;
}

/** An artifact, and where it is. */
export interface PublishedArtifact {
  readonly artifact: Artifact;
  /** Absolute path of its folder. */
  readonly folder: string;
  /** Absolute path of the file that it is opened at. */
  readonly path: string;
}

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const STAGING_PREFIX = ".staging-";
/** What a killed process left behind is removed after this time. */
const STALE_MS = 3_600_000;
const ID_CHARS = 20;

/**
 * Writes an artifact: all of its files, or nothing. They are written beside it first, into a folder
 * that is removed whatever happens, and only the person can read them.
 *
 * @param root Absolute path of the folder of the session's artifacts; it is created.
 * @param draft What is published.
 * @param createdAt Epoch milliseconds.
 * @throws If the folder cannot be written.
 */
export async function publishArtifact(
  root: string,
  draft: NewArtifact,
  createdAt: number,
): Promise<PublishedArtifact> {
  const artifact = describe(draft, createdAt);
  await Deno.mkdir(root, { recursive: true, mode: FOLDER_MODE });
  await removeStale(root, createdAt);
  const staging = await Deno.makeTempDir({ dir: root, prefix: STAGING_PREFIX });
  const folder = join(root, `${draft.slug || "artifact"}--${artifact.id}`);
  try {
    await writeAll(staging, draft, artifact);
    await Deno.rename(staging, folder);
  } finally {
    await removeAll(staging);
  }
  return { artifact, folder, path: join(folder, "files", draft.files[0].path) };
}

function describe(draft: NewArtifact, createdAt: number): Artifact {
  const { sessionId, title, kind, mimeType, previewable, files } = draft;
  return {
    id: `art_${crypto.randomUUID().replaceAll("-", "").slice(0, ID_CHARS)}`,
    sessionId,
    title,
    fileName: files[0].path,
    kind,
    mimeType,
    bytes: files.reduce((sum, { text }) => sum + bytesOf(text).length, 0),
    fileCount: files.length,
    previewable,
    createdAt,
    status: "ready",
  };
}

async function writeAll(staging: string, draft: NewArtifact, artifact: Artifact): Promise<void> {
  const { files, download, callId } = draft;
  const manifest = {
    version: 1,
    ...artifact,
    entry: artifact.fileName,
    ...(download === undefined ? {} : { download }),
    ...(callId === undefined ? {} : { callId }),
    files: files.map(({ path, text }) => ({ path, bytes: bytesOf(text).length })),
  };
  await write(join(staging, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const { path, text } of files) {
    const file = join(staging, "files", path);
    await Deno.mkdir(dirname(file), { recursive: true, mode: FOLDER_MODE });
    await write(file, text);
  }
}

async function write(path: string, text: string): Promise<void> {
  using file = await Deno.open(path, { write: true, createNew: true, mode: FILE_MODE });
  const bytes = bytesOf(text);
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
  await file.sync();
}

async function removeStale(root: string, now: number): Promise<void> {
  for await (const { name } of Deno.readDir(root)) {
    if (!name.startsWith(STAGING_PREFIX)) continue;
    const path = join(root, name);
    const { mtime } = await Deno.lstat(path).catch(() => ({ mtime: null }));
    if (mtime !== null && now - mtime.getTime() > STALE_MS) await removeAll(path);
  }
}

/** What cannot be removed now is removed later. */
async function removeAll(path: string): Promise<void> {
  await Deno.remove(path, { recursive: true }).catch(() => {});
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
