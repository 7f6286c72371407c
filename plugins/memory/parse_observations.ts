import type { JsonValue } from "@alisio/sdk";
import type { Scope } from "./memory_settings.ts";
import { type NewObservation, OBSERVATION_TYPES } from "./observation.ts";

/** Of one answer, no more than these are kept. */
const MAX_OBSERVATIONS = 20;

/** What a model is told about observations that it is asked for. */
export const OBSERVATIONS_FIELD =
  "list of objects, each worth remembering in a later session: `title` (what it is, one line), " +
  "`content` (what, why, where and what was learned), `type` (one of " +
  `${OBSERVATION_TYPES.join(", ")}), \`scope\` ("project", or "personal" for what holds for the ` +
  "person in every project), `topic_key` (optional, as family/description, for what a later " +
  "observation will replace); an empty list if nothing is";

/**
 * Takes what is usable of observations that a model wrote. It may have written anything.
 *
 * @param value What it wrote.
 * @param defaultScope Where one goes that names no scope.
 */
export function parseObservations(
  value: JsonValue | undefined,
  defaultScope: Scope,
): readonly NewObservation[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_OBSERVATIONS).flatMap((each: JsonValue) => {
    if (typeof each !== "object" || each === null || Array.isArray(each)) return [];
    const { title, content, type, scope, topic_key: topicKey } = each as Readonly<
      Record<string, unknown>
    >;
    if (typeof title !== "string" || typeof content !== "string") return [];
    return [{
      title,
      content,
      type: OBSERVATION_TYPES.find((known) => known === type) ?? "discovery",
      scope: scope === "personal" || scope === "project" ? scope : defaultScope,
      ...(typeof topicKey === "string" ? { topicKey } : {}),
    }];
  });
}
