import type { ModelEvent, ModelProvider, ModelRequest } from "@alisio/sdk";
import { untilAborted } from "../../until_aborted.ts";
import type { ProfileSession } from "./profile_session.ts";

/**
 * A provider whose failures say how to sign in again, once its session has ended: it does not know
 * the command. Whoever gives a request up does not wait for a renewal that it waits for.
 *
 * @param provider The connection.
 * @param session The session that it was made with.
 */
export function signedInProvider(provider: ModelProvider, session: ProfileSession): ModelProvider {
  const explained = (error: unknown, signal: AbortSignal): unknown =>
    signal.aborted ? error : session.ended ?? error;
  return {
    id: provider.id,
    ...(provider.acceptsServerTools === true ? { acceptsServerTools: true } : {}),
    async *stream(request) {
      try {
        yield* untilGivenUp(provider, request);
      } catch (error) {
        throw explained(error, request.signal);
      }
    },
    ...(provider.listModels === undefined ? {} : {
      async listModels(options) {
        try {
          const models = provider.listModels?.(options) ?? Promise.resolve([]);
          return await untilAborted(models, options.signal);
        } catch (error) {
          throw explained(error, options.signal);
        }
      },
    }),
  };
}

async function* untilGivenUp(
  provider: ModelProvider,
  request: ModelRequest,
): AsyncGenerator<ModelEvent> {
  const { signal } = request;
  const events = provider.stream(request)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await untilAborted(events.next(), signal);
      if (done === true) return;
      yield value;
    }
  } finally {
    const released = events.return?.() ?? Promise.resolve();
    // It may still wait for what nobody wants any more.
    if (signal.aborted) released.catch(() => {});
    else await released;
  }
}
