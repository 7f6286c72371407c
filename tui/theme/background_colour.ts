/** What of a terminal's answer is of interest here. */
interface ReportedColours {
  readonly background?: { readonly r: number; readonly g: number; readonly b: number };
}

/** What can ask a terminal for its colours, without taking keys for an answer. */
export interface ColourAsker {
  queryTerminalColors(options: {
    timeoutMs: number;
    onLateReply?: (colours: ReportedColours) => void;
  }): Promise<ReportedColours>;
}

/** A terminal that says nothing in this time is not waited for. */
const ANSWER_TIMEOUT_MS = 200;

/**
 * Asks a terminal whether its background is dark or light. Never fails, and waits no longer than a
 * fifth of a second.
 *
 * @param asker The screen, which keeps answers apart from keys.
 * @param onLate Called when the answer comes after that.
 * @returns Undefined where the terminal does not say.
 */
export async function askBackground(
  asker: ColourAsker,
  onLate: (background: "dark" | "light") => void,
): Promise<"dark" | "light" | undefined> {
  try {
    const colours = await asker.queryTerminalColors({
      timeoutMs: ANSWER_TIMEOUT_MS,
      onLateReply: (late) => {
        const background = toBackground(late);
        if (background !== undefined) onLate(background);
      },
    });
    return toBackground(colours);
  } catch {
    // The screen was closed meanwhile; the guess stays.
    return undefined;
  }
}

function toBackground({ background }: ReportedColours): "dark" | "light" | undefined {
  if (background === undefined) return undefined;
  const { r, g, b } = background;
  return 0.299 * r + 0.587 * g + 0.114 * b > 127 ? "light" : "dark";
}
