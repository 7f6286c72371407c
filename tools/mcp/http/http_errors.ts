import { McpError, type McpErrorCode } from "../../../core/mcp/mcp_connection.ts";

/** A server answered a request over HTTP with a status that is a failure. */
export class HttpStatusError extends McpError {
  /** The status. */
  readonly status: number;

  /**
   * Creates the error.
   *
   * @param status The status.
   * @param code What kind of failure it is.
   * @param message What failed and why.
   */
  constructor(status: number, code: McpErrorCode, message: string) {
    super(code, message);
    this.status = status;
  }
}

/** A server does not know the session any more; nothing was done. A new one can be begun. */
export class SessionLostError extends McpError {
  /** Creates the error. */
  constructor() {
    super("closed", "the server has ended the session");
  }
}

/**
 * Says why a request over HTTP did not come through. Addresses are left out, for they may hold
 * secrets.
 *
 * @param error What was thrown.
 * @param host Of the server.
 */
export function explainNetworkFailure(error: unknown, host: string): McpError {
  if (error instanceof McpError) return error;
  const options = { cause: error };
  if (causesOf(error).some((cause) => cause instanceof Deno.errors.NotCapable)) {
    return new McpError(
      "unreachable",
      `this run may not reach ${host}; the permissions of the Alisio process exclude it`,
      options,
    );
  }
  const text = causesOf(error).map(({ message }) => message).join("\n");
  const detail = DETAILS.find(([pattern]) => pattern.test(text))?.[1] ?? "the connection failed";
  return new McpError("unreachable", `${host} cannot be reached: ${detail}`, options);
}

const MAX_CAUSES = 8;

function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let at = error; at instanceof Error && causes.length < MAX_CAUSES; at = at.cause) {
    causes.push(at);
  }
  return causes;
}

/** The runtime says these in no other way. */
const DETAILS: readonly (readonly [RegExp, string])[] = [
  [/connection refused/i, "the connection was refused; is the server running?"],
  [/dns error|failed to lookup/i, "its name is not known; check the address"],
  [/certificate|tls|ssl/i, "the connection cannot be secured; check its certificate"],
  [/reset|closed|broken pipe|eof|incomplete/i, "the connection broke"],
  [/timed? ?out/i, "the connection took too long"],
  [/port \d+ (?:is|are) blocked/i, "no program speaks HTTP at this port; check the address"],
];
