/**
 * The built-in plugin `herdr`: inside a pane of Herdr it reports what Alisio does, and it lets the
 * model talk to the agents in other panes where the person permits that.
 *
 * @module
 */
import { definePlugin, type Plugin, type RunEvent } from "@alisio/sdk";
import { agentTools } from "./agent_tools.ts";
import type { HerdrPane } from "./pane.ts";
import { PaneReporter, type StateReport } from "./pane_reporter.ts";

/** What the plugin does. */
export interface HerdrPluginOptions {
  /** The pane that Alisio runs in. */
  readonly pane: HerdrPane;
  /** Whether it reports. */
  readonly reports: boolean;
  /** Whether the model can talk to other agents. */
  readonly talks: boolean;
  /** Whether a person is there, so that Alisio is ready before it is given work. */
  readonly isReady: boolean;
  /** Is told once if reports do not arrive. */
  readonly say: (notice: string) => void;
}

/**
 * The plugin for one pane.
 *
 * @param options What it does.
 */
export function createHerdrPlugin(options: HerdrPluginOptions): Plugin {
  const { pane, reports, talks, isReady, say } = options;
  const reporter = reports ? new PaneReporter(pane, { say }) : null;
  return definePlugin({
    id: "herdr",
    version: "0.1.0",
    apiVersion: 1,
    name: "Herdr",
    description: "Reports to Herdr what Alisio does, and talks to agents in other panes.",
    categories: ["tools"],
    setup(api) {
      if (talks) { for (const tool of agentTools(pane)) api.tools.register(tool); }
      if (reporter === null) return;
      api.events.on((event) => {
        const report = reportOf(event);
        if (report !== null) reporter.report(report);
      });
      if (isReady) reporter.report({ state: "idle" });
    },
    dispose: () => reporter?.close(),
  });
}

/** What an event says of the state of Alisio; null if nothing. */
function reportOf(event: RunEvent): StateReport | null {
  const session = event.sessionId;
  switch (event.type) {
    case "run_started":
      return { state: "working", session };
    case "run_completed":
    case "run_cancelled":
    case "run_turns_exceeded":
      return { state: "idle", session };
    case "run_failed":
      return { state: "blocked", session, message: String(event.data.error) };
    default:
      return null;
  }
}
