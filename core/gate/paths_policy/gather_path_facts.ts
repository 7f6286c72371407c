import { judgePath } from "../../paths/judge_path.ts";
import type { JudgedPath } from "../../paths/judged_path.ts";
import { dirname, resolve } from "../../paths/path.ts";
import { PathError } from "../../paths/path_error.ts";
import { quotePath } from "../../paths/quote_path.ts";
import { fileIdentity } from "./file_identity.ts";
import type { PathAncestor, PolicyPathFacts } from "./path_policy.ts";
import { expandPath, type PolicyPlaces } from "./resolve_path_policy.ts";

/** How the facts of a path are gathered. */
export interface GatherPathFactsOptions extends PolicyPlaces {
  /** Real path of the workspace. */
  readonly realWorkspace: string;
  /**
   * Absolute path that a relative one starts from.
   *
   * @default the workspace
   */
  readonly base?: string;
  /**
   * Real paths that the profile closes.
   *
   * @default []
   */
  readonly closedPaths?: readonly string[];
  /** Whether a real path is one of the files that decide what Alisio may do. */
  readonly isOwnFile: (real: string) => boolean;
  /**
   * The path as it will be opened, if it was resolved before. What is opened is then what is
   * judged.
   */
  readonly judged?: JudgedPath;
}

/** A path with more folders is refused: each of them is looked at. */
const MAX_ANCESTORS = 256;

/**
 * Gathers what the verdict about a path rests on: everything that it may stand for, where that
 * really leads, and which folders lie on the way. Changes nothing and never throws for a path that
 * is merely bad.
 *
 * @param requested The path as the call has it.
 * @param options Where it starts from.
 */
export async function gatherPathFacts(
  requested: string,
  options: GatherPathFactsOptions,
): Promise<PolicyPathFacts> {
  const nothing = { requested, spellings: [], real: null, ancestors: [], isOwnFile: false };
  const base = options.base ?? options.workspace;
  const expanded = expandPath(requested, { ...options, workspace: base });
  if (expanded === null) return { ...nothing, trouble: "home_unknown" };
  const spellings = new Set([expanded]);
  // A file tool takes "~" as the name that it is; a shell does not. Both readings count.
  if (requested.startsWith("~")) spellings.add(resolve(base, requested));
  try {
    const roots = [options.realWorkspace];
    const { absolute, real } = options.judged ??
      await judgePath(expanded, {
        workspace: options.workspace,
        roots,
        closedPaths: options.closedPaths ?? [],
      });
    spellings.add(absolute);
    return {
      requested,
      spellings: [...spellings],
      real,
      ancestors: await findAncestors(real),
      trouble: null,
      isOwnFile: options.isOwnFile(real),
    };
  } catch (error) {
    if (error instanceof PathError) return { ...nothing, trouble: error.code };
    throw error;
  }
}

/** The folders on the way to a real path that exist, itself included, the deepest first. */
async function findAncestors(real: string): Promise<readonly PathAncestor[]> {
  const paths = [real];
  for (let folder = dirname(real); folder !== paths.at(-1); folder = dirname(folder)) {
    paths.push(folder);
    if (paths.length <= MAX_ANCESTORS) continue;
    throw new PathError("path_too_long", `Cannot use path ${quotePath(real)}: it is too deep`);
  }
  const found = await Promise.all(
    paths.map(async (path) => ({ path, identity: await fileIdentity(path) })),
  );
  return found.filter((ancestor): ancestor is PathAncestor => ancestor.identity !== null);
}
