import { findExecutable } from "../../process/find_executable.ts";
import { resolve } from "../../paths/path.ts";
import { locateProgram } from "../profile/shadowed_names.ts";
import type { CommandGrade } from "../shell/command_grade.ts";
import { gradeCommand, gradeProgramCall } from "../shell/grade_command.ts";
import type { ApprovalProgram } from "../approval.ts";

/** Where the programs of a command are looked for. */
export interface UnusualProgramsOptions {
  /** Real path of the folder that it starts in. */
  readonly workspace: string;
  /** Real paths of folders that tools can write. */
  readonly folders: readonly string[];
  /** The environment that programs start with. Relative entries of `PATH` play no part. */
  readonly env: Readonly<Record<string, string>>;
  /** The home folder, if it is known. */
  readonly home?: string;
}

/** More programs than a person would read about. */
const MAX_PROGRAMS = 20;

/**
 * Finds the programs of a command whose name alone does not say what runs: those that are named by
 * a path, and those that the search path finds where tools or everybody can write.
 *
 * @param tool Name of the tool.
 * @param input Its input.
 * @param options Where they are looked for.
 * @returns In the order of the command, each once; none for a tool that starts no command.
 */
export async function unusualPrograms(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  options: UnusualProgramsOptions,
): Promise<readonly ApprovalProgram[]> {
  const grade = await gradeOf(tool, input, options);
  const runs = new Map((grade?.runs ?? []).map((run) => [run.program, run]));
  const found: ApprovalProgram[] = [];
  for (const { program, isPath } of runs.values()) {
    if (program === null || found.length === MAX_PROGRAMS) continue;
    const place = isPath
      ? placeOf(program, folderOf(tool, input, options), options)
      : await shadowOf(program, options);
    if (place !== null) found.push({ name: program, path: await realOrNull(place) });
  }
  return found;
}

async function gradeOf(
  tool: string,
  { command, args }: Readonly<Record<string, unknown>>,
  { workspace, env }: UnusualProgramsOptions,
): Promise<CommandGrade | null> {
  if (typeof command !== "string") return null;
  if (tool === "run_process") {
    return gradeProgramCall(command, Array.isArray(args) ? args.map(String) : []);
  }
  if (tool !== "shell" && tool !== "bg_run") return null;
  if (Deno.build.os === "windows") return gradeCommand(command, { dialect: "cmd" });
  const bash = await findExecutable("bash", { path: env["PATH"], exclude: [workspace] });
  return gradeCommand(command, { dialect: bash === null ? "sh" : "bash" });
}

/** Where the command starts. */
function folderOf(
  tool: string,
  { cwd }: Readonly<Record<string, unknown>>,
  { workspace }: UnusualProgramsOptions,
): string {
  return tool === "bg_run" && typeof cwd === "string" ? resolve(workspace, cwd) : workspace;
}

function placeOf(program: string, folder: string, { home }: UnusualProgramsOptions): string {
  const isHome = home !== undefined && program.startsWith("~/");
  return resolve(folder, isHome ? home + program.slice(1) : program);
}

async function shadowOf(
  program: string,
  { env, folders }: UnusualProgramsOptions,
): Promise<string | null> {
  const { PATH: path, PATHEXT: pathExt } = env;
  const located = await locateProgram(program, { path, pathExt, folders });
  return located?.isShadowed === true ? located.path : null;
}

async function realOrNull(path: string): Promise<string | null> {
  try {
    return await Deno.realPath(path);
  } catch {
    // Missing, or where nobody may look: it is not known what would start.
    return null;
  }
}
