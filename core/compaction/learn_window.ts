import type { RunEventData } from "@alisio/sdk";
import type { ContextSize } from "../run/context_meter.ts";
import type { RunContext } from "../run/run_ports.ts";

/** No model holds less; a server that names less means something else. */
const MIN_WINDOW_TOKENS = 500;

/** What is taken for the window of a server that refuses a request without a word about it. */
const GUESSED_WINDOW_SHARE = 0.9;

/**
 * Takes in what a server teaches of its window by refusing a request as too long.
 *
 * @param context Knows the window, and remembers the lesson.
 * @param size The request that was refused.
 * @param said How many tokens the server says that it takes, where it says so.
 * @returns What the person is told; null where nothing was learned that they need to know.
 */
export function learnWindow(
  { meter, learn }: Pick<RunContext, "meter" | "learn">,
  size: ContextSize,
  said: number | undefined,
): RunEventData["run_warning"] | null {
  const { usedTokens, isEstimated, totalTokens } = meter.usage(size);
  const isSaid = said !== undefined && said >= MIN_WINDOW_TOKENS;
  const tokens = isSaid ? said : Math.floor(usedTokens * GUESSED_WINDOW_SHARE);
  if (tokens < MIN_WINDOW_TOKENS) return null;
  meter.refuse(tokens, size);
  if (totalTokens !== null && totalTokens <= tokens) return null;
  meter.bounds = { ...meter.bounds, [isSaid ? "windowTokens" : "guessedTokens"]: tokens };
  // What is guessed from an estimate is for this conversation alone.
  if (isSaid || !isEstimated) learn({ tokens, isSaid });
  const was = totalTokens === null ? "" : `, not ${totalTokens}`;
  return {
    code: "context_window",
    message: isSaid
      ? `The server says that the model can hold ${tokens} tokens${was}; noted`
      : `The server refused a request of about ${usedTokens} tokens as too long, so the model ` +
        `is taken to hold about ${tokens}${was}; set "provider.contextWindow" if you know it`,
  };
}
