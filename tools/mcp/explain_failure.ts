import { type McpClosed, McpError } from "../../core/mcp/mcp_connection.ts";
import { AnsweredError } from "./answered_error.ts";

/** What of the error output is part of a message. */
const MAX_TAIL_CHARS = 500;

/** What a failure is explained with. */
export interface FailureContext {
  /** Makes a text that the server wrote safe and short. */
  readonly safe: (text: string) => string;
  /** Why the connection is over, if it is. */
  readonly end?: McpClosed | undefined;
}

/**
 * Says what failed, whatever was thrown by a request. Pure.
 *
 * @param what What cannot be done.
 * @param error What was thrown.
 * @param context What it is explained with.
 */
export function explainFailure(what: string, error: unknown, context: FailureContext): McpError {
  const options = { cause: error };
  if (error instanceof AnsweredError) {
    const said = `the server answered with error ${error.code}: ${context.safe(error.message)}`;
    return new McpError("refused", `${what}: ${said}`, options);
  }
  if (!(error instanceof McpError)) {
    return new McpError("protocol", `${what}: the answer cannot be read`, options);
  }
  const { code, message } = error;
  const { errorTail } = context.end ?? {};
  const hasTail = (code === "closed" || code === "timeout") && errorTail !== undefined;
  const tail = hasTail ? `; its error output ends with: ${errorTail.slice(-MAX_TAIL_CHARS)}` : "";
  return new McpError(code, `${what}: ${message}${tail}`, options);
}
