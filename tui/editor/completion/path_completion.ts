import { basename, dirname, join } from "../../../core/paths/path.ts";
import { typingPause } from "./completer.ts";
import type { Completion, CompletionItem, CompletionRequest } from "./completion.ts";
import { rankManyMatches } from "./rank_matches.ts";
import { isOffered, type WorkspaceFiles } from "./workspace_files.ts";

const MAX_ITEMS = 50;

/** Entries of a folder outside of the workspace that are looked at. */
const MAX_ENTRIES = 2_000;

/** Where a path is named with `@`: at the start of a word, with or without quotes. */
const AT_REGEXP = /(?:^|[\s([{<"'`,;:])@(?:"([^"]*)|([^\s"@]*))$/;

/** The word before the cursor. */
const WORD_REGEXP = /(?:^|[\s=(])(?:"([^"]*)|([^\s"]*))$/;

/** What paths are completed from. */
export interface PathPorts {
  readonly files: WorkspaceFiles;
  /** Real path of the workspace. */
  readonly root: string;
  /** The home folder, for `~/`. */
  readonly home: string | undefined;
}

/**
 * Completes `@path` while it is typed, and any path when Tab asks for it.
 *
 * @param request Where.
 * @param ports What from.
 */
export async function completePath(
  request: CompletionRequest,
  ports: PathPorts,
): Promise<Completion | undefined> {
  const at = AT_REGEXP.exec(request.before);
  const found = at ?? (request.isForced ? WORD_REGEXP.exec(request.before) : null);
  if (found === null) return undefined;
  if (!request.isForced) await typingPause(request.signal);
  if (request.signal.aborted) return undefined;
  const [, quoted, plain = ""] = found;
  const typed = quoted ?? plain;
  const sign = at === null ? "" : "@";
  const start = request.before.length - typed.length - sign.length - (quoted === undefined ? 0 : 1);
  const paths = isOutside(typed)
    ? await listOutside(typed, ports)
    : await findInside(typed, await ports.files.list(), request, at === null ? "word" : "at");
  // A path that stands there in full needs no menu, which would take the next Enter.
  if (paths.length === 0 || (paths.length === 1 && paths[0] === typed)) return undefined;
  return { start, items: paths.map((path) => toItem(path, sign, quoted !== undefined)) };
}

function isOutside(typed: string): boolean {
  return /^(?:~?\/|\.\.\/|[A-Za-z]:[\\/])/.test(typed);
}

async function findInside(
  typed: string,
  entries: readonly string[],
  { signal }: CompletionRequest,
  how: "at" | "word",
): Promise<readonly string[]> {
  const wanted = typed.startsWith("./") ? typed.slice(2) : typed;
  const folder = wanted.slice(0, wanted.lastIndexOf("/") + 1);
  const siblings = entries.filter((entry) => entry !== folder && parentOf(entry) === folder);
  if (wanted === folder) return siblings.slice(0, MAX_ITEMS);
  const lower = wanted.toLowerCase();
  const next = siblings.filter((entry) => entry.toLowerCase().startsWith(lower));
  // Tab goes on from folder to folder, as in a shell.
  if (how === "word" && next.length > 0) return next.slice(0, MAX_ITEMS);
  const options = { query: wanted, textsOf: (entry: string) => [entry], limit: MAX_ITEMS };
  return await rankManyMatches(entries, options, signal);
}

/** The folder of an entry, which ends in `/`. */
function parentOf(entry: string): string {
  return entry.slice(0, entry.lastIndexOf("/", entry.length - 2) + 1);
}

async function listOutside(typed: string, { root, home }: PathPorts): Promise<readonly string[]> {
  const folder = typed.slice(0, typed.lastIndexOf("/") + 1);
  const start = typed.slice(folder.length);
  const real = folder.startsWith("~/") ? join(home ?? "/", folder.slice(2)) : join(root, folder);
  const paths: string[] = [];
  let seen = 0;
  try {
    for await (
      const { name, isDirectory } of Deno.readDir(folder.startsWith("/") ? folder : real)
    ) {
      if (++seen > MAX_ENTRIES) break;
      if (!name.toLowerCase().startsWith(start.toLowerCase()) || !isOffered(name)) continue;
      paths.push(folder + name + (isDirectory ? "/" : ""));
    }
  } catch {
    // Missing, or closed to this run.
  }
  return paths.sort().slice(0, MAX_ITEMS);
}

function toItem(path: string, sign: string, isQuoted: boolean): CompletionItem {
  const isFolder = path.endsWith("/");
  const needsQuotes = isQuoted || /[\s"'()[\]{}]/.test(path);
  const text = needsQuotes ? `"${path}${isFolder ? "" : '"'}` : path;
  const folder = dirname(path);
  return {
    insert: sign + text + (isFolder ? "" : " "),
    label: basename(path) + (isFolder ? "/" : ""),
    ...(folder === "." ? {} : { description: folder }),
    ...(isFolder ? { then: "complete" as const } : {}),
  };
}
