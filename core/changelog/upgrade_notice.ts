import { isObject } from "../config/is_object.ts";
import { readPrivateFile, writePrivateFile } from "../config/private_file.ts";
import { join } from "../paths/path.ts";
import { CHANGELOG, type ChangelogEntry } from "./entries.ts";
import { compareVersions } from "./find_entries.ts";

const MAX_BYTES = 64 * 1024;

/**
 * What a person is told once after an upgrade. The version that was seen last is kept in
 * `tui-state.json` beside the session database; the first run and a downgrade say nothing. Never
 * rejects: a notice is not worth a failure.
 *
 * @param stateRoot The folder of the session database.
 * @param version The version that this is.
 * @param entries What each release brought.
 */
export async function upgradeNotice(
  stateRoot: string,
  version: string,
  entries: readonly ChangelogEntry[] = CHANGELOG,
): Promise<string | null> {
  try {
    const path = join(stateRoot, "tui-state.json");
    const state = await readState(path);
    const { lastSeenVersion } = state;
    if (lastSeenVersion === version) return null;
    await writePrivateFile(path, `${JSON.stringify({ ...state, lastSeenVersion: version })}\n`);
    if (typeof lastSeenVersion !== "string") return null;
    const since = entries.filter((entry) =>
      compareVersions(entry.version, lastSeenVersion) > 0 &&
      compareVersions(entry.version, version) <= 0
    );
    if (compareVersions(version, lastSeenVersion) <= 0) return null;
    const count = `${since.length} new ${since.length === 1 ? "entry" : "entries"}`;
    return `Alisio updated to ${version} · ${count} · /changelog`;
  } catch {
    return null;
  }
}

async function readState(path: string): Promise<Readonly<Record<string, unknown>>> {
  const { file } = await readPrivateFile(path, MAX_BYTES);
  if (file.status !== "read") return {};
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(file.bytes));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
