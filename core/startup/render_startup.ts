import type {
  ExtensionPoint,
  MascotContext,
  MascotProvider,
  StartupContext,
  TerminalCapabilities,
} from "@alisio/sdk";
import type { Extension } from "../plugins/extension_registry.ts";
import { DefaultAlisioMascot, DefaultStartupScreen } from "./default_providers.ts";
import { drawnLine, drawnLines } from "./drawn_lines.ts";

/** What a startup screen is put together with. */
export interface StartupPorts {
  /** The providers that plugins offer for a point, the chosen one first. */
  readonly ranked: <P extends ExtensionPoint>(point: P) => readonly Extension<P>[];
  /** Is told of a provider that fails; it is left out from then on. */
  readonly failed: (plugin: string, hook: string, error: unknown) => void;
}

const MAX_MASCOT_LINES = 12;
const MAX_SCREEN_LINES = 60;

/** What takes longer is thrown away; nothing can stop it while it draws. */
const MAX_MS = 250;

/**
 * Draws the startup screen, with the providers that were chosen, or with the ones of Alisio where
 * there is none or it fails.
 *
 * @param ports What it is put together with.
 * @param facts What it is drawn from, the mascot aside.
 * @returns Lines that any terminal of that kind can show.
 */
export function renderStartup(
  ports: StartupPorts,
  facts: Omit<StartupContext, "mascot">,
): readonly string[] {
  const { terminal } = facts;
  const [screen] = ports.ranked("startup-screen");
  const context: StartupContext = Object.freeze({ ...facts, mascot: safeMascot(ports) });
  const draw = (render: (context: StartupContext) => unknown) =>
    timed(() => drawn(render(context), MAX_SCREEN_LINES, terminal));
  if (screen !== undefined) {
    try {
      return draw((given) => screen.provider.render(given));
    } catch (error) {
      ports.failed(screen.plugin, "startup-screen", error);
    }
  }
  return drawn(DefaultStartupScreen.render(context), MAX_SCREEN_LINES, terminal);
}

/** The chosen mascot, behind all that its drawing needs to be safe. */
function safeMascot(ports: StartupPorts): MascotProvider {
  const [chosen] = ports.ranked("mascot");
  const drawDefault = (context: MascotContext) =>
    drawn(DefaultAlisioMascot.render(context), MAX_MASCOT_LINES, context.terminal);
  if (chosen === undefined) return { id: DefaultAlisioMascot.id, render: drawDefault };
  let hasFailed = false;
  return {
    id: chosen.provider.id,
    render(context) {
      if (hasFailed) return drawDefault(context);
      try {
        const draw = () => chosen.provider.render(context);
        return timed(() => drawn(draw(), MAX_MASCOT_LINES, context.terminal));
      } catch (error) {
        hasFailed = true;
        ports.failed(chosen.plugin, "mascot", error);
        return drawDefault(context);
      }
    },
  };
}

function drawn(
  lines: unknown,
  maxLines: number,
  terminal: TerminalCapabilities,
): readonly string[] {
  return drawnLines(lines, maxLines).map((line) => drawnLine(line, terminal));
}

function timed<T>(draw: () => T): T {
  const startedAt = performance.now();
  const result = draw();
  const ms = performance.now() - startedAt;
  if (ms <= MAX_MS) return result;
  throw new Error(`it took ${Math.round(ms)} ms to draw; ${MAX_MS} ms are allowed`);
}
