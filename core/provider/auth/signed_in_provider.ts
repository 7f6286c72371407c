import type { ModelProvider } from "@alisio/sdk";
import type { ProfileSession } from "./profile_session.ts";

/**
 * A provider whose failures say how to sign in again, once its session has ended: it does not know
 * the command.
 *
 * @param provider The connection.
 * @param session The session that it was made with.
 */
export function signedInProvider(provider: ModelProvider, session: ProfileSession): ModelProvider {
  const explained = (error: unknown, signal: AbortSignal): unknown =>
    signal.aborted ? error : session.ended ?? error;
  return {
    id: provider.id,
    async *stream(request) {
      try {
        yield* provider.stream(request);
      } catch (error) {
        throw explained(error, request.signal);
      }
    },
    ...(provider.listModels === undefined ? {} : {
      async listModels(options) {
        try {
          return await provider.listModels?.(options) ?? [];
        } catch (error) {
          throw explained(error, options.signal);
        }
      },
    }),
  };
}
