import { toRecord } from "./wire_values.ts";

/** What a server says about an error, in whatever form it says it. */
export interface ServerErrorBody {
  /** The server's words, not yet fit for a message. */
  readonly message: string;
  /** Machine readable words: code, type, parameter; lower case, separated by spaces. */
  readonly codes: string;
  /** An HTTP status inside the body. */
  readonly status?: number;
  /** Tokens that fit, if there is a field for it. */
  readonly contextLimit?: number;
}

/**
 * Whether a piece of a stream, or a document, is an error and no answer.
 *
 * @param name The event's name.
 * @param value The event's JSON.
 */
export function isErrorEnvelope(name: string, value: unknown): boolean {
  const record = toRecord(value);
  if (name === "error") return true;
  if (record === undefined) return false;
  if (hasContent(record.error) || record.object === "error" || record.type === "error") return true;
  const isAnswer = "choices" in record || "output" in record || "type" in record ||
    "usage" in record || "object" in record;
  return !isAnswer && (hasContent(record.detail) || hasContent(record.errors) ||
    (typeof record.message === "string" && "code" in record));
}

/**
 * Collects what a server says about an error.
 *
 * @param body Parsed JSON, or text where the body was none.
 */
export function parseServerErrorBody(body: unknown): ServerErrorBody {
  const outer = toRecord(Array.isArray(body) ? body[0] : body);
  if (outer === undefined) return { message: typeof body === "string" ? body : "", codes: "" };
  const nested = [outer.error, firstOf(outer.errors), toRecord(outer.response)?.error]
    .find(hasContent);
  const inner = toRecord(nested) ?? outer;
  const message = typeof nested === "string" ? nested : findMessage(inner) ?? findMessage(outer);
  const status = [inner.status, inner.code, outer.status, outer.code].map(Number).find(
    isErrorStatus,
  );
  const limit = Number(inner.n_ctx);
  return {
    message: message ?? "",
    codes: [inner.code, inner.type, inner.status, inner.param, outer.code, outer.type]
      .filter((word) => typeof word === "string")
      .join(" ")
      .toLowerCase(),
    ...(status === undefined ? {} : { status }),
    ...(Number.isSafeInteger(limit) && limit > 0 ? { contextLimit: limit } : {}),
  };
}

function findMessage(record: Record<string, unknown>): string | undefined {
  const raw = toRecord(record.metadata)?.raw;
  const own = [record.message, record.detail, record.msg, record.error_description, record.title]
    .map(toText)
    .find((text) => text !== undefined && text !== "");
  // Routers wrap what the server behind them said, and their own words say nothing.
  if (typeof raw === "string" && raw !== "") return own === undefined ? raw : `${own}: ${raw}`;
  return own;
}

function toText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) {
    return value.map((entry) => toText(toRecord(entry)?.msg ?? entry) ?? "").join("; ");
  }
  const record = toRecord(value);
  return record === undefined ? undefined : toText(record.message ?? record.msg ?? record.error);
}

function isErrorStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 400 && status < 600;
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}

/** Servers send `error: null`, `""`, `false` and `{}` with answers that are well. */
function hasContent(value: unknown): boolean {
  if (typeof value === "string") return value !== "";
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}
