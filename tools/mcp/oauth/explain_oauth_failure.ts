import { McpError } from "../../../core/mcp/mcp_connection.ts";
import { safeServerText } from "../diagnostics.ts";

/** Codes by which a service says that it renews a sign-in never again. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  "invalid_grant",
  "invalid_client",
  "unauthorized_client",
  "invalid_target",
  "invalid_scope",
]);

/** Why a request of a sign-in failed. */
export interface OAuthFailure {
  /** Safe to show. */
  readonly reason: string;
  /** Whether the service said no, and will not think otherwise. */
  readonly isFinal: boolean;
}

/**
 * Says why a request of a sign-in failed.
 *
 * @param error What was thrown.
 * @param secrets Values that must not be seen.
 */
export async function explainOAuthFailure(
  error: unknown,
  secrets: readonly string[],
): Promise<OAuthFailure> {
  const oauth = await import("oauth4webapi");
  if (
    error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError
  ) {
    const { error: code, error_description: description = "" } = error;
    const said = description === "" ? code : `${code}: ${description}`;
    return {
      reason: `the service answered ${safeServerText(said, secrets)}`,
      isFinal: FINAL_CODES.has(code),
    };
  }
  if (error instanceof McpError) return { reason: error.message, isFinal: false };
  const text = error instanceof Error ? error.message : "the answer cannot be read";
  return { reason: safeServerText(text, secrets), isFinal: false };
}
