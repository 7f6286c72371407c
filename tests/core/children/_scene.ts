import { definePlugin } from "@alisio/sdk";
import type { Application } from "../../../core/application.ts";
import type { ApplicationOptions, BuiltinPlugin } from "../../../core/application_options.ts";
import type { ChildSessions } from "../../../core/children/child_sessions.ts";
import { createStandardTools, loadSchemaValidator } from "../../../tools/standard_tools.ts";
import { PlayedProvider, type PlayedTurn } from "../../support/run_harness.ts";

/** A plugin that only has child sessions opened. */
export const DELEGATES: BuiltinPlugin = {
  id: "delegates",
  isNeeded: true,
  delegates: true,
  load: () =>
    Promise.resolve(
      definePlugin({ id: "delegates", version: "1.0.0", apiVersion: 1, setup: () => {} }),
    ),
};

/** A prompt without observers that nothing stops. */
export const NO_STOP = { signal: new AbortController().signal, observers: [] };

/** Options with the standard tools, child sessions and a model that plays turns. */
export function delegating(...turns: readonly PlayedTurn[]): {
  readonly provider: PlayedProvider;
  readonly options: Partial<ApplicationOptions>;
} {
  const provider = new PlayedProvider(turns);
  return {
    provider,
    options: {
      provider,
      model: "m",
      plugins: [DELEGATES],
      tools: createStandardTools,
      loadValidator: loadSchemaValidator,
    },
  };
}

/** The child sessions of an application that has them. */
export function childrenOf({ children }: Application): ChildSessions {
  if (children === undefined) throw new TypeError("There are no child sessions");
  return children;
}
