import { isObject } from "../../core/config/is_object.ts";

/** What a request is known by. */
export type MessageId = string | number;

/** An error as the protocol writes it. */
export interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A message of a server, as far as it was looked at. */
export type ServerMessage =
  | {
    readonly kind: "result";
    readonly id: MessageId;
    readonly result: Readonly<Record<string, unknown>>;
  }
  | { readonly kind: "error"; readonly id: MessageId; readonly error: WireError }
  | {
    readonly kind: "request";
    readonly id: MessageId;
    readonly method: string;
    readonly params: Readonly<Record<string, unknown>>;
  }
  | {
    readonly kind: "notification";
    readonly method: string;
    readonly params: Readonly<Record<string, unknown>>;
  };

/** Code of an answer that is no message of the protocol. */
const INVALID_CODE = -32_600;
const MAX_ID_CHARS = 256;
const MAX_METHOD_CHARS = 256;

/**
 * Reads what a server sent as a message of the protocol. An answer that can be told apart only by
 * its id becomes an error of that request, so that nobody waits for it until the limit.
 *
 * @param value Parsed JSON.
 * @returns Null where it is no message at all.
 */
export function readMessage(value: unknown): ServerMessage | null {
  if (!isObject(value) || value["jsonrpc"] !== "2.0") return null;
  const { id, method } = value;
  if (method !== undefined) {
    if (typeof method !== "string" || method.length > MAX_METHOD_CHARS) return null;
    const params = isObject(value["params"]) ? value["params"] : {};
    if (id === undefined) return { kind: "notification", method, params };
    return isId(id) ? { kind: "request", id, method, params } : null;
  }
  if (!isId(id)) return null;
  if (isObject(value["result"])) return { kind: "result", id, result: value["result"] };
  return { kind: "error", id, error: wireError(value["error"]) };
}

function isId(id: unknown): id is MessageId {
  return typeof id === "string" ? id.length <= MAX_ID_CHARS : Number.isSafeInteger(id);
}

function wireError(error: unknown): WireError {
  if (!isObject(error) || typeof error["message"] !== "string") {
    return { code: INVALID_CODE, message: "the answer is no message of the protocol" };
  }
  const { code, message, data } = error;
  return {
    code: typeof code === "number" && Number.isSafeInteger(code) ? code : INVALID_CODE,
    message,
    ...(data === undefined ? {} : { data }),
  };
}
