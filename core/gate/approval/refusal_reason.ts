import type { NoDecision } from "../approval.ts";

/** What a model does with a call that nobody decided about. */
const GO_ON = "This is not a person's decision: go on without it and say in your answer what is " +
  "left to do";

/**
 * Tells a model that a person said no.
 *
 * @param tool Name of the tool.
 */
export function refusedByPerson(tool: string): string {
  return `the person refused "${tool}"; do not try the same in another way`;
}

/**
 * Tells a model that nobody decided, which is no person's no. Names no setting.
 *
 * @param tool Name of the tool.
 * @param source Why nobody did.
 */
export function refusedByNobody(tool: string, source: NoDecision["undecided"]): string {
  const why: Readonly<Record<NoDecision["undecided"], string>> = {
    unavailable: "nobody was there who could decide about it",
    unreachable: "nobody could be reached to decide about it",
    timed_out: "nobody decided about it in time",
  };
  return `"${tool}" was not run: ${why[source]}. ${GO_ON}`;
}

/**
 * Tells a model that a call which another call makes would have to be asked about.
 *
 * @param tool Name of the tool.
 * @param reason What would be asked.
 */
export function refusedWithin(tool: string, reason: string): string {
  return `"${tool}" was not run: ${reason}, and from within another call nobody is asked; only what ` +
    "this session permits already is open here. Make this call directly";
}

/**
 * Tells a model why the same call is not asked about again.
 *
 * @param tool Name of the tool.
 * @param before What became of it before.
 */
export function notAskedAgain(
  tool: string,
  before: "duplicate" | "refused" | "answered",
): string {
  switch (before) {
    case "duplicate":
      return `this very call of "${tool}" is already in your reply, so it was not made twice; ` +
        "look at the result of the first one before you make it again";
    case "refused":
      return `the person has refused this very call of "${tool}" before; they are not asked ` +
        "again. Do something else, or finish and say in your answer what is left to do";
    case "answered":
      return `the person has answered this very call of "${tool}" in its place; they are not ` +
        "asked again. Go by their answer";
  }
}
