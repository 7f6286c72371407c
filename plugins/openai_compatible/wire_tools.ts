import type { ModelTool } from "@alisio/sdk";

/** Turns a list of tools into the `tools` field of a body, once for each list. */
export class WireTools {
  readonly #toWire: (tool: ModelTool) => unknown;
  readonly #json = new WeakMap<readonly ModelTool[], string>();

  /**
   * Starts with nothing encoded.
   *
   * @param toWire Gives a tool the form of the protocol.
   */
  constructor(toWire: (tool: ModelTool) => unknown) {
    this.#toWire = toWire;
  }

  /**
   * Renders the field with a leading comma, or nothing where there is no tool: some servers refuse
   * an empty list.
   *
   * @param tools What the model may call.
   * @param serverTools What the server carries out; it stands behind them, as it is.
   */
  encode(tools: readonly ModelTool[], serverTools: readonly unknown[] = []): string {
    if (tools.length + serverTools.length === 0) return "";
    let json = this.#json.get(tools);
    if (json === undefined) {
      json = tools.map((tool) => JSON.stringify(this.#toWire(tool))).join(",");
      this.#json.set(tools, json);
    }
    const own = serverTools.map((tool) => JSON.stringify(tool));
    return `,"tools":[${[...(json === "" ? [] : [json]), ...own].join(",")}]`;
  }
}
