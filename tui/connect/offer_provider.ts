import type { Stage } from "../stage.ts";

const WELCOME =
  "Welcome. Alisio needs a model to work with: one on this machine, or one of a service, with its " +
  "address and a key. Nothing is sent anywhere but to the server that you choose.";

/**
 * Offers to connect a provider, where there is none at all, as when Alisio is opened for the first
 * time. Whoever has begun to write is only told.
 *
 * @param stage The conversation, which is open.
 */
export async function offerProvider(stage: Stage): Promise<void> {
  const { application } = stage;
  stage.say(WELCOME);
  if (application.permissionMode() === "read-only") {
    return stage.say("Run alisio connect in a shell: this conversation changes nothing");
  }
  if (stage.isRunning() || stage.draft() !== "") return stage.say("/connect begins");
  const { connectInPanels } = await import("./connect_provider.ts");
  const isConnected = await connectInPanels(stage);
  stage.say(
    isConnected
      ? "Write what is to be done; /help shows what else there is"
      : "/connect begins anew; alisio connect does the same in a shell",
  );
}
