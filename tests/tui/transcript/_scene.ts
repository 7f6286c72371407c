import type { RunEvent, ToolResultPart } from "@alisio/sdk";
import { createTheme } from "../../../tui/theme/create_theme.ts";
import type { TerminalLook } from "../../../tui/theme/theme.ts";
import type { TranscriptStep } from "../../fixtures/read_transcript.ts";
import { TranscriptView } from "../../../tui/transcript/transcript_view.ts";

/** A terminal without colours, so that rows are their text. */
export const PLAIN: TerminalLook = { depth: "none", unicode: true, background: "dark" };

/** A terminal that shows everything. */
export const COLOURED: TerminalLook = { depth: "true", unicode: true, background: "dark" };

/** A serial console. */
export const ASCII: TerminalLook = { depth: "none", unicode: false, background: "dark" };

/** An empty conversation, and how often it asked to be drawn. */
export interface TranscriptScene {
  readonly view: TranscriptView;
  /** Emits an event of a run. */
  readonly emit: (type: string, data?: Record<string, unknown>) => void;
  /** Rows of the screen, without blanks at their ends. */
  readonly rows: (width?: number, height?: number) => readonly string[];
  readonly redraws: () => number;
}

/** Makes a conversation on a terminal. */
export function transcriptScene(
  options: {
    readonly look?: TerminalLook;
    readonly results?: Readonly<Record<string, readonly ToolResultPart[]>>;
    readonly padding?: number;
  } = {},
): TranscriptScene {
  let redraws = 0;
  const theme = createTheme(options.look ?? PLAIN);
  const view = new TranscriptView({
    theme: () => theme,
    redraw: () => {
      redraws += 1;
    },
    paddingX: () => options.padding ?? 0,
    env: {},
    cwd: "/work",
    result: (_session, id) => options.results?.[id],
  });
  let seq = 0;
  return {
    view,
    emit: (type, data = {}) => view.observe(runEvent(type, data, ++seq)),
    rows: (width = 60, height = 40) => view.render(width, height).map((row) => row.trimEnd()),
    redraws: () => redraws,
  };
}

/** Shows the steps of a stored conversation. */
export function playTranscript(
  steps: readonly TranscriptStep[],
  look: TerminalLook,
): TranscriptScene {
  const results: Record<string, readonly ToolResultPart[]> = {};
  const scene = transcriptScene({ look, results });
  for (const step of steps) {
    if (step[0] === "prompt") scene.view.addPrompt(step[1]);
    else if (step[0] === "event") scene.emit(step[1], step[2]);
    else if (step[0] === "result") results[step[1]] = step[2] as readonly ToolResultPart[];
    else if (step[0] === "notice") scene.view.addNotice(step[1], step[2]);
    else if (step[0] === "markdown") scene.view.addMarkdown(step[1]);
    else scene.view.load(step[1]);
  }
  return scene;
}

/** An event as a run emits it. */
export function runEvent(type: string, data: Record<string, unknown>, seq = 1): RunEvent {
  return {
    schemaVersion: 1,
    runId: "r1",
    sessionId: "s1",
    seq,
    timestamp: "2026-01-01T00:00:00.000Z",
    type,
    data,
  };
}
