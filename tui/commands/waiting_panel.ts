import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import { truncateToWidth } from "@earendil-works/pi-tui/dist/utils.js";
import { untilAborted } from "../../core/until_aborted.ts";
import { visibleName } from "../../core/process/visible_text.ts";
import type { Panel } from "../panels/panel.ts";
import type { Stage } from "../stage.ts";

/**
 * Shows what is waited for, until it is there or the person gives up with Esc or Ctrl+C.
 *
 * @param stage The conversation.
 * @param title What is going on.
 * @param work What is waited for; what ignores its signal is left behind.
 * @returns What it came to; undefined if the person gave up.
 * @throws What the work throws.
 */
export async function whileWaiting<T>(
  stage: Stage,
  title: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const stop = new AbortController();
  const closing = new AbortController();
  const panel = stage.panels.open<never>((done) =>
    waitingPanel(stage, title, () => {
      stop.abort(new Error("Stopped by the person"));
      done(undefined);
    }), { signal: closing.signal });
  try {
    return await untilAborted(work(stop.signal), stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return undefined;
    throw error;
  } finally {
    closing.abort();
    await panel;
  }
}

function waitingPanel(stage: Stage, title: string, giveUp: () => void): Panel {
  return {
    focused: false,
    invalidate() {},
    handleInput(data) {
      if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) giveUp();
    },
    render(width) {
      const { theme } = stage;
      const ellipsis = theme.glyph("ellipsis");
      return [
        theme.paint("accent", truncateToWidth(visibleName(title), width, ellipsis)),
        theme.paint("dim", truncateToWidth("Esc stops it", width, ellipsis)),
      ];
    },
  };
}
