import { ConnectCancelledError } from "../../core/provider/connect_asker.ts";
import { connectProvider } from "../../core/provider/connect_flow.ts";
import type { Stage } from "../stage.ts";
import { hasBrowser } from "./has_browser.ts";
import { PanelAsker } from "./panel_asker.ts";
import { usePair } from "./use_pair.ts";

/**
 * Has a provider connected in panels, saves it and begins a new session with it.
 *
 * @param stage The conversation.
 * @param provider Id of the kind of provider, if the person named one.
 * @returns Whether one was connected.
 * @throws {AlisioError} If something is wrong that the person cannot be asked about.
 */
export async function connectInPanels(stage: Stage, provider?: string): Promise<boolean> {
  const desk = await stage.application.connectDesk();
  const { signal } = new AbortController();
  try {
    const { profile, model } = await connectProvider({
      desk,
      asker: new PanelAsker(stage),
      say: (text) => stage.say(text),
      hasBrowser: hasBrowser(stage.env),
      signal,
    }, { values: {}, ...(provider === undefined ? {} : { provider }) });
    await usePair(stage, `${profile}/${model}`);
    return true;
  } catch (error) {
    if (!(error instanceof ConnectCancelledError)) throw error;
    stage.say("Nothing was connected");
    return false;
  }
}
