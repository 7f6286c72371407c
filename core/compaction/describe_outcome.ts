import type { CompactionOutcome } from "./compactor.ts";

/**
 * Says what became of a conversation that was to be made shorter, in one sentence for the person.
 *
 * @param outcome What became of it.
 */
export function describeOutcome(outcome: CompactionOutcome): string {
  switch (outcome.status) {
    case "completed": {
      const { replaced, before, after, partial, plugins } = outcome;
      const cut = partial ? "; the output limit cut the summary" : "";
      const reports = Object.entries(plugins).map(([id, report]) => `; ${id}: ${report}`).join("");
      return `Summarised ${replaced} messages: about ${before} tokens of context are ${after} now` +
        `${cut}${reports}`;
    }
    case "skipped":
      return `The conversation is not summarised: ${outcome.detail}`;
    case "failed":
      return `The conversation could not be summarised: ${outcome.error}`;
  }
}
