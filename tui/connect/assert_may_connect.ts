import { AlisioError } from "../../core/errors.ts";
import type { Stage } from "../stage.ts";

/**
 * Refuses what a conversation that changes nothing cannot do.
 *
 * @param stage The conversation.
 * @throws {AlisioError} `usage` under `--read-only`, and where no change could be permitted.
 */
export function assertMayConnect(stage: Stage): void {
  if (stage.application.permissionMode() !== "read-only") return;
  throw new AlisioError(
    "usage",
    "Cannot connect a provider: this conversation changes nothing; use alisio connect in a shell",
  );
}
