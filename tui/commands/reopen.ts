import type { Stage } from "../stage.ts";

/**
 * Opens the application anew, with what the files say now, and chooses the permission mode again
 * that was in force. What was allowed for the session is forgotten.
 *
 * @param stage The conversation.
 * @throws {AlisioError} If it cannot be opened; the one before goes on then.
 */
export async function reopenKeepingMode(stage: Stage): Promise<void> {
  const mode = stage.application.permissionMode();
  await stage.reopen();
  const isChosen = mode === "ask" || mode === "auto" || mode === "full";
  if (isChosen && stage.application.permissionMode() !== mode) {
    stage.application.setPermissionMode(mode);
  }
}
