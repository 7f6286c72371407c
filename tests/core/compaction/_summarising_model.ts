import type { ModelEvent, ModelProvider, ModelRequest } from "@alisio/sdk";
import { type PlayedTurn, says } from "../../support/run_harness.ts";

/** Whether a request asks for a summary. */
export function asksForSummary(request: ModelRequest): boolean {
  return request.system.startsWith("You write the checkpoint of a conversation");
}

/** A checkpoint as a model writes it. */
export const SUMMARY = JSON.stringify({
  goal: "Ship the parser",
  instructions: ["keep the public API"],
  discoveries: ["FACT-1: the port is 4317"],
  accomplished: ["read the tests"],
  currentState: "one test fails",
  nextSteps: ["fix it"],
  relevantFiles: ["parser.ts: the parser"],
});

/** A model that plays its turns, and answers requests for a summary apart from them. */
export class SummarisingModel implements ModelProvider {
  readonly id = "played";
  readonly requests: ModelRequest[] = [];
  readonly summaryRequests: ModelRequest[] = [];
  readonly #turns: readonly PlayedTurn[];
  readonly #summaries: readonly PlayedTurn[];

  constructor(
    turns: readonly PlayedTurn[],
    summaries: readonly PlayedTurn[] = [says(SUMMARY)],
  ) {
    this.#turns = turns;
    this.#summaries = summaries;
  }

  stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    const isSummary = asksForSummary(request);
    const requests = isSummary ? this.summaryRequests : this.requests;
    const turns = isSummary ? this.#summaries : this.#turns;
    const turn = turns[requests.length] ?? turns.at(-1);
    requests.push(request);
    if (turn === undefined) throw new TypeError("Nothing to play");
    return turn(request);
  }
}

/** All that a request says, in one text. */
export function said(request: ModelRequest | undefined): string {
  return JSON.stringify(request?.messages);
}
