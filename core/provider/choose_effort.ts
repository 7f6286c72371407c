import type { ModelInfo } from "@alisio/sdk";
import { nearestName } from "../config/nearest_name.ts";
import { quoted } from "../config/quoted.ts";
import { AlisioError } from "../errors.ts";

/** Who wants which reasoning effort; the first that says something counts. */
export interface EffortWishes {
  /** `--effort`, or what the person chose in this run. */
  readonly chosen?: string;
  /** `agents.effort`. */
  readonly configured?: string;
  /** What the definition of the active agent says. */
  readonly agent?: string;
}

/** The effort that a request asks for. */
export interface ChosenEffort {
  /** Absent where the model's own default is used. */
  readonly effort?: string;
  /** What the person should know. */
  readonly notice?: string;
}

/**
 * Decides which reasoning effort a request asks for. Pure. A level that is only remembered gives
 * way to what the model has; one that the person named now is sent, unless the model is known not
 * to have it.
 *
 * @param wishes Who wants what.
 * @param model What the catalog says of the model.
 * @throws {AlisioError} `usage` if the model does not have the level that the person named.
 */
export function chooseEffort(
  { chosen, configured, agent }: EffortWishes,
  model: Pick<ModelInfo, "id" | "effort"> | undefined,
): ChosenEffort {
  const levels = model?.effort?.supportedLevels ?? [];
  if (chosen !== undefined) {
    if (levels.length > 0 && !levels.includes(chosen)) throw noSuchLevel(chosen, levels, model?.id);
    return { effort: chosen };
  }
  const wish = configured ?? agent;
  if (wish === undefined || levels.length === 0) return {};
  if (levels.includes(wish)) return { effort: wish };
  const { defaultLevel } = model?.effort ?? {};
  const instead = defaultLevel === undefined ? "its own default" : `"${defaultLevel}"`;
  return {
    ...defaultLevel === undefined ? {} : { effort: defaultLevel },
    notice: `The model has no effort ${quoted(wish, 40)} and works with ${instead}; it has ` +
      levels.join(", "),
  };
}

function noSuchLevel(
  chosen: string,
  levels: readonly string[],
  model: string | undefined,
): AlisioError {
  const nearest = nearestName(chosen, levels);
  const which = nearest === undefined ? "" : `did you mean "${nearest}"? `;
  return new AlisioError(
    "usage",
    `Cannot use the effort ${quoted(chosen, 40)}: model ${quoted(model ?? "", 80)} does not have ` +
      `it; ${which}choose ${levels.join(", ")}`,
  );
}
