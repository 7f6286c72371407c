import type { ModelProvider, ModelRequest } from "@alisio/sdk";
import { AlisioError } from "../errors.ts";
import type { Gate } from "../gate/gate.ts";

/** Searches of the web that the model's server carries out. */
export interface NativeSearch {
  /**
   * What a run that begins now may use. Nobody sees such a search before it is done, so it is only
   * there where everything of its effect runs unasked.
   *
   * @param gate Knows what does.
   */
  readonly serverTools: (gate: Pick<Gate, "permitsUnseen">) => ModelRequest["serverTools"];
  /**
   * What the person should know of it at the start: that nothing searches, where nothing may.
   *
   * @param gate Knows what may.
   * @returns Null where the server may search.
   */
  readonly notice: (gate: Pick<Gate, "permitsUnseen">) => string | null;
  /**
   * @param provider The connection to the model.
   * @throws {AlisioError} `config_invalid` if its server is not asked for such tools.
   */
  readonly assertAccepted: (provider: Pick<ModelProvider, "acceptsServerTools">) => void;
}

/**
 * Lets the model's server search.
 *
 * @param search The tool that searches here, in whose place it does, and the type of the server's.
 */
export function nativeSearch(
  search: { readonly tool: string; readonly type: string },
): NativeSearch {
  const serverTools = [{ type: search.type }];
  const mayRun = (gate: Pick<Gate, "permitsUnseen">) =>
    gate.permitsUnseen({ name: search.tool, effect: "external" });
  return {
    serverTools: (gate) => mayRun(gate) ? serverTools : undefined,
    notice: (gate) =>
      mayRun(gate)
        ? null
        : 'The web is not searched in this run: "websearch.provider" is "native", and the ' +
          "model's server searches only where everything external runs unasked; start with " +
          '--allow-external or choose the mode "full", or use another "websearch.provider"',
    assertAccepted: assertServerTools,
  };
}

/**
 * Refuses a search by the server where the server is not asked for such a thing.
 *
 * @param provider The connection to the model, or what is known of it.
 * @throws {AlisioError} `config_invalid`
 */
export function assertServerTools(
  { acceptsServerTools }: Pick<ModelProvider, "acceptsServerTools">,
): void {
  if (acceptsServerTools === true) return;
  throw new AlisioError(
    "config_invalid",
    'Cannot use "websearch.provider": "native" with this model: only the Responses API has ' +
      'searches by the server; set "provider.apiMode" to "responses" (for a connected ' +
      'provider, its API mode in alisio connect), or choose another "websearch.provider"',
  );
}
