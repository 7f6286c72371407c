import { isInside } from "../paths/is_inside.ts";
import { relative } from "../paths/path.ts";
import { type RewindOutcome, touched } from "./rewind_session.ts";

/** Longer lists are cut. */
const MAX_NAMED = 50;

/**
 * Says what a rewind does or did, one fact a line.
 *
 * @param outcome The rewind.
 * @param workspace The folder that paths are shown relative to.
 */
export function describeRewind(outcome: RewindOutcome, workspace: string): string {
  const { before, messages, files, outsideCalls, isUndo } = outcome;
  const name = (path: string): string => nameFrom(workspace, path);
  const count = `${messages} ${messages === 1 ? "message" : "messages"}`;
  const lines = [
    isUndo
      ? `Conversation: ${count} from message ${before} on taken up again`
      : `Conversation: back to before message ${before}, ${count} put aside`,
  ];
  if (files !== undefined) {
    const { restored, removed } = touched(files);
    lines.push(
      ...listOf(restored.map((path) => `Put back: ${name(path)}`)),
      ...listOf(removed.map((path) => `Removed, since it was not there: ${name(path)}`)),
      ...listOf(
        files.left.map(({ path, reason }) => `Cannot be put back: ${name(path)}: ${reason}`),
      ),
      ...listOf(files.conflicts.map(({ path, reason }) => `In the way: ${name(path)}: ${reason}`)),
    );
    if (lines.length === 1) lines.push("Files: none to put back");
  }
  if (outsideCalls > 0) {
    const calls = outsideCalls === 1 ? "1 call" : `${outsideCalls} calls`;
    lines.push(
      `Not taken back: whatever ${calls} of programs and other systems did since, files included`,
    );
  }
  return lines.join("\n");
}

/**
 * A path as a person reads it: relative to a folder where it lies in it.
 *
 * @param folder The folder.
 * @param path The path.
 */
export function nameFrom(folder: string, path: string): string {
  return isInside(path, folder) && path !== folder ? relative(folder, path) : path;
}

function listOf(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_NAMED) return lines;
  return [...lines.slice(0, MAX_NAMED), `… and ${lines.length - MAX_NAMED} more`];
}
