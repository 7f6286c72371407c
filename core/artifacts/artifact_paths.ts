import { sha256Hex } from "../files/sha256.ts";
import { join } from "../paths/path.ts";
import { isSessionId } from "../session/session_files.ts";

/** Digits of the hash that a workspace is known by. */
const WORKSPACE_KEY_DIGITS = 16;

/**
 * The folder of the artifacts of a session.
 *
 * @param place Where state is kept, and whose artifacts they are; the workspace is a real path.
 * @throws {TypeError} If the id is none of a session.
 */
export async function artifactsPath(
  { stateRoot, workspace, sessionId }: {
    readonly stateRoot: string;
    readonly workspace: string;
    readonly sessionId: string;
  },
): Promise<string> {
  if (!isSessionId(sessionId)) throw new TypeError("Cannot name artifacts: no id of a session");
  const hash = await sha256Hex(new TextEncoder().encode(workspace));
  return join(stateRoot, "artifacts", hash.slice(0, WORKSPACE_KEY_DIGITS), sessionId);
}
