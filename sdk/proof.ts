import type { JsonValue } from "./json.ts";
import type { ToolResult } from "./tool.ts";

/** What a verifier may use. */
export interface ProofContext {
  /**
   * Runs a tool of Alisio, through the same door as the model. A call that is refused answers with
   * `isError`.
   *
   * @param name The tool.
   * @param input Its input.
   */
  callTool(
    name: string,
    input: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly callId: string; readonly result: ToolResult }>;
  /** Aborts when its time is over. */
  readonly signal?: AbortSignal;
}

/** What a verifier found. */
export interface ProofVerdict {
  /** Whether the criterion holds. */
  readonly ok: boolean;
  /** SHA-256 of what the verdict rests on, in hexadecimal digits. */
  readonly outputHash: string;
  /** The call that it rests on. */
  readonly callId?: string;
}

/** Looks whether a criterion holds. */
export interface ProofVerifier {
  /** Unique in the plugin. */
  readonly id: string;
  /** One sentence. */
  readonly describe: string;
  /**
   * Looks.
   *
   * @param input What the criterion says.
   * @param context What it may use.
   */
  run(input: JsonValue, context: ProofContext): Promise<ProofVerdict>;
}

/**
 * Proof of criteria, for a plugin.
 *
 * @example A verifier, where the host has proof
 * ```ts
 * import { definePlugin } from "@alisio/sdk";
 *
 * export default definePlugin({
 *   id: "acme.links",
 *   version: "0.1.0",
 *   apiVersion: 1,
 *   setup(api) {
 *     api.proof?.registerVerifier({
 *       id: "readme",
 *       describe: "Checks that there is a README",
 *       async run(_input, context) {
 *         const { callId, result } = await context.callTool("read_file", { path: "README.md" });
 *         const bytes = new TextEncoder().encode(JSON.stringify(result.content));
 *         const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
 *         return { ok: result.isError !== true, outputHash: digest.toHex(), callId };
 *       },
 *     });
 *   },
 * });
 * ```
 */
export interface PluginProof {
  /**
   * Adds a verifier.
   *
   * @param verifier The verifier.
   */
  registerVerifier(verifier: ProofVerifier): () => void;
}
