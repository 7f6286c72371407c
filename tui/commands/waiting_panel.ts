import { untilAborted } from "../../core/until_aborted.ts";
import type { Panel, PanelFrame } from "../panels/panel.ts";
import { drawPanel } from "../panels/panel_box.ts";
import { listKey } from "../panels/panel_keys.ts";
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
  const panel = stage.panels.open<never>(
    (done, frame) =>
      waitingPanel({ stage, title, frame }, () => {
        stop.abort(new Error("Stopped by the person"));
        done(undefined);
      }),
    { signal: closing.signal },
  );
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

function waitingPanel(
  { stage, title, frame }: {
    readonly stage: Stage;
    readonly title: string;
    readonly frame: PanelFrame;
  },
  giveUp: () => void,
): Panel {
  return {
    focused: false,
    invalidate() {},
    handleInput(data) {
      if (listKey(data) === "cancel") giveUp();
    },
    render: (width) =>
      drawPanel({ title, body: [], help: ["Esc stops it"] }, {
        width,
        rows: frame.rows(),
        theme: stage.theme,
      }),
  };
}
