import assert from "node:assert/strict";
import { isRunning } from "../core/process/_is_running.ts";
import { type CliResult, type CliScene, shown } from "../support/cli_harness.ts";
import type { ScriptedModel } from "../support/scripted_model.ts";
import { startModel } from "../support/scripted_model.ts";
import type { RecordedRequest } from "../support/stub_server.ts";

/** Begins a command that has a view of the file system of its own, as its own root. */
export const NAMESPACE: readonly string[] = ["unshare", "--map-root-user", "--mount", "sh", "-c"];

/**
 * Whether a program can be run here, successfully.
 *
 * @param command The program and its arguments.
 */
export async function canRun([program = "", ...args]: readonly string[]): Promise<boolean> {
  try {
    const command = new Deno.Command(program, { args, stdout: "null", stderr: "null" });
    return (await command.output()).success;
  } catch {
    return false;
  }
}

/**
 * Writes a configuration that uses a model server.
 *
 * @param cli The scene.
 * @param model The server.
 * @param rest More keys.
 */
export async function useModel(
  cli: CliScene,
  model: Pick<ScriptedModel, "baseUrl">,
  rest: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await cli.configure({ provider: { baseURL: model.baseUrl, model: "stub" }, ...rest });
}

/**
 * Goes on with a session on a healthy, strict server, which finds every call answered.
 *
 * @param cli The scene.
 * @param session The session.
 * @param args More flags.
 * @returns What the server was sent.
 */
export async function assertResumes(
  cli: CliScene,
  session: string,
  args: readonly string[] = [],
): Promise<RecordedRequest> {
  await using model = await startModel();
  const run = await cli.run(
    ["resume", session, "go on", "--json", "--model", "stub", "--base-url", model.baseUrl, ...args],
  );
  assert.equal(run.status, 0, shown(run));
  assert.deepEqual(model.violations, []);
  return await model.chat(0);
}

/**
 * The ids of all sessions.
 *
 * @param cli The scene.
 */
export async function sessionIds(cli: CliScene): Promise<readonly string[]> {
  const list = await cli.run(["sessions", "list", "--json"]);
  assert.equal(list.status, 0, shown(list));
  const lines = list.stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => String(JSON.parse(line).id));
}

/**
 * The one session there is.
 *
 * @param cli The scene.
 */
export async function onlySession(cli: CliScene): Promise<string> {
  const [id, ...others] = await sessionIds(cli);
  assert.ok(id !== undefined && others.length === 0, "expected exactly one session");
  return id;
}

/**
 * Fails if a text could drive a terminal.
 *
 * @param result What was printed.
 */
export function assertNoControls(result: CliResult): void {
  // deno-lint-ignore no-control-regex -- what must not be there
  assert.doesNotMatch(result.stdout + result.stderr, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
}

/**
 * Works on several items at a time.
 *
 * @param items The items.
 * @param atOnce How many.
 * @param act What is done with each.
 */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const work = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

/**
 * Whether a process has ended. The system takes a moment to end one that was killed.
 *
 * @param pid Its id.
 */
export async function isGone(pid: number): Promise<boolean> {
  for (let look = 0; isRunning(pid); look++) {
    if (look === 200) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return true;
}
