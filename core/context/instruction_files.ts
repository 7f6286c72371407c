import { join, relative, sep } from "../paths/path.ts";
import { quotePath } from "../paths/quote_path.ts";
import { foldersBetween, isPresent } from "./project_root.ts";

/** Which of the names a file has; the first that exists in a folder is the one that counts. */
export type InstructionKind = "override" | "agents" | "legacy" | "claude";

/** Where an instruction file was found. */
export interface InstructionLocation {
  /** Absolute path, links not followed. */
  readonly path: string;
  /** Whose it is: the person's, for every project, or the project's. */
  readonly scope: "global" | "project";
  /** Which of the names it has. */
  readonly kind: InstructionKind;
}

/** An instruction file that was read. */
export interface InstructionFile extends InstructionLocation {
  /** Its size on disk. */
  readonly bytes: number;
  /** Its text, or the start of it. */
  readonly text: string;
  /** Whether `text` is all of it. */
  readonly complete: boolean;
}

/** Instruction files, and what the person should know about the ones that were left out. */
export interface InstructionFiles {
  /** The farthest first, the closest last. */
  readonly files: readonly InstructionFile[];
  /** One sentence each, without a final period. */
  readonly notices: readonly string[];
}

/** Where instructions come from, and which of them may be used. */
export interface InstructionSources {
  /** The folder of the person's configuration. */
  readonly configHome: string;
  /** Real path of the project: see {@linkcode findProjectRoot}. */
  readonly root: string;
  /** Real path of the directory that is worked in; it is `root` or below it. */
  readonly cwd: string;
  /** Whether the project's own files may instruct the model. */
  readonly trusted: boolean;
  /** Whether `CLAUDE.md` is read where there is no `AGENTS.md`. */
  readonly claudeMdFallback: boolean;
  /**
   * Whether a real path is closed to the run, whoever names it.
   *
   * @default none is
   */
  readonly isClosed?: (real: string) => boolean;
  /** Bytes of all instruction files together; also the most that is read of one. */
  readonly maxBytes: number;
}

const GLOBAL_NAMES: readonly (readonly [string, InstructionKind])[] = [
  ["AGENTS.override.md", "override"],
  ["AGENTS.md", "agents"],
];
const PROJECT_NAMES: typeof GLOBAL_NAMES = [...GLOBAL_NAMES, ["AGENT.md", "legacy"]];
const PROJECT_NAMES_WITH_CLAUDE: typeof GLOBAL_NAMES = [...PROJECT_NAMES, ["CLAUDE.md", "claude"]];

/** More files than this are counted, not named. */
const MAX_NAMED = 5;

/** What such a folder holds was written by strangers, however much the project is trusted. */
const FOREIGN_FOLDERS: ReadonlySet<string> = new Set([
  ".git",
  ".nox",
  ".pnpm-store",
  ".tox",
  ".venv",
  ".yarn",
  "Carthage",
  "Pods",
  "__pypackages__",
  "bower_components",
  "jspm_packages",
  "node_modules",
  "site-packages",
  "third_party",
  "vendor",
  "venv",
]);

/**
 * Reads the instruction files that hold for a whole session: the person's own, and one for each
 * folder from the project's root down to the directory that is worked in.
 *
 * Nothing of a project that is not trusted is read; that there is something is said.
 *
 * @param sources Where they come from.
 */
export async function readInstructionFiles(sources: InstructionSources): Promise<InstructionFiles> {
  const [global, project] = await Promise.all([
    findIn(sources.configHome, "global", GLOBAL_NAMES),
    findProjectInstructions(foldersBetween(sources.root, sources.cwd), sources),
  ]);
  const located = global === null ? [] : [global];
  if (sources.trusted) return await readLocated([...located, ...project], sources);
  const { files, notices } = await readLocated(located, sources);
  return { files, notices: [...notices, ...untrustedNotices(project)] };
}

/**
 * Finds the instruction files of folders of a project, at most one in each.
 *
 * @param folders Real paths inside the project; those of dependencies are passed over.
 * @param sources What may be used.
 * @returns In the order of the folders.
 */
export async function findProjectInstructions(
  folders: readonly string[],
  sources: InstructionSources,
): Promise<readonly InstructionLocation[]> {
  const names = sources.claudeMdFallback ? PROJECT_NAMES_WITH_CLAUDE : PROJECT_NAMES;
  const own = folders.filter((folder) => !isForeign(folder, sources.root));
  const found = await Promise.all(own.map((folder) => findIn(folder, "project", names)));
  return found.filter((location) => location !== null);
}

/**
 * Reads instruction files that were found. One that cannot be used becomes a notice.
 *
 * @param locations Where they are.
 * @param sources What may be used.
 */
export async function readLocated(
  locations: readonly InstructionLocation[],
  sources: InstructionSources,
): Promise<InstructionFiles> {
  if (locations.length === 0) return { files: [], notices: [] };
  // Most runs have no such file; they do not pay for what reads one.
  const { readInstructionFile } = await import("./read_instruction_file.ts");
  const outcomes = await Promise.all(
    locations.map((location) => readInstructionFile(location, sources)),
  );
  return {
    files: outcomes.flatMap(({ file }) => file ?? []),
    notices: outcomes.flatMap(({ notice }) => notice ?? []),
  };
}

async function findIn(
  folder: string,
  scope: InstructionLocation["scope"],
  names: typeof GLOBAL_NAMES,
): Promise<InstructionLocation | null> {
  const present = await Promise.all(names.map(([name]) => isPresent(join(folder, name))));
  const [name, kind] = names[present.indexOf(true)] ?? [];
  return name === undefined || kind === undefined
    ? null
    : { path: join(folder, name), scope, kind };
}

function untrustedNotices(project: readonly InstructionLocation[]): readonly string[] {
  if (project.length === 0) return [];
  const named = project.slice(0, MAX_NAMED).map(({ path }) => quotePath(path)).join(", ");
  const others = project.length <= MAX_NAMED ? "" : ` and ${project.length - MAX_NAMED} more`;
  return [
    `Left out instructions ${named}${others}: the project is not trusted; ` +
    'review it with "alisio trust add", or pass "--trust-project" once',
  ];
}

/**
 * Whether a path lies in a folder of dependencies or of another tool.
 *
 * @param path Absolute path.
 * @param root Real path of the project.
 */
export function isForeign(path: string, root: string): boolean {
  return relative(root, path).split(sep).some((name) => FOREIGN_FOLDERS.has(name));
}
