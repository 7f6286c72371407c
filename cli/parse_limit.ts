import { AlisioError } from "../core/errors.ts";
import type { CommandContext } from "./command_context.ts";

const MAX_LIMIT = 10_000;

/**
 * Reads the flag `--limit`.
 *
 * @param flags Flags of the command.
 * @param fallback The limit without the flag.
 * @throws {AlisioError} `usage`.
 */
export function parseLimit(flags: CommandContext["commandFlags"], fallback: number): number {
  const value = flags["limit"];
  if (value === undefined) return fallback;
  const limit = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  const message = `Flag "--limit" needs a number from 1 to ${MAX_LIMIT}, found "${value}"`;
  throw new AlisioError("usage", message.slice(0, 200));
}
