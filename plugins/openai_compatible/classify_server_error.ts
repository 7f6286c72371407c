import { ProviderError, type ProviderErrorCode } from "@alisio/sdk";
import { parseContextOverflow } from "./context_overflow.ts";
import { adviseBaseUrl, type ExchangeContext, hasVersion } from "./failures.ts";
import { parseRetryAfter } from "./retry_after.ts";
import { parseServerErrorBody, type ServerErrorBody } from "./server_error_body.ts";

/** What is known of an error that a server reported. */
export interface ServerErrorFacts {
  /** Parsed JSON, or text where the body was none. */
  readonly body: unknown;
  /** Absent for an error inside a stream. */
  readonly status?: number;
  /** Absent for an error inside a stream. */
  readonly headers?: Headers;
}

/**
 * Turns an error that a server reported, by status or inside a stream, into one that the host can
 * act on: what it is, whether the same request may work later, and what the person can do.
 *
 * @param facts What the server sent.
 * @param context The exchange.
 */
export function classifyServerError(
  facts: ServerErrorFacts,
  context: ExchangeContext,
): ProviderError {
  const body = parseServerErrorBody(facts.body);
  const status = facts.status ?? body.status;
  const retryAfterMs = parseRetryAfter(facts.headers, body.message, Date.now());
  const verdict = judge(body, status, retryAfterMs !== undefined, context);
  const words = context.quote(body.message);
  const quoted = words === "" ? "" : `: "${words}"`;
  const shownStatus = status === undefined ? "" : ` (HTTP ${status})`;
  const isForbidden = facts.headers?.get("x-should-retry") === "false";
  return new ProviderError(
    `The model server at "${context.address}" ${verdict.failure}${shownStatus}${quoted}` +
      `: ${verdict.advice}`,
    {
      code: verdict.code,
      retryable: (verdict.retryable ?? false) && !isForbidden,
      ...(status === undefined ? {} : { status }),
      ...(verdict.retryable && retryAfterMs !== undefined ? { retryAfterMs } : {}),
      ...(verdict.contextLimit === undefined ? {} : { contextLimit: verdict.contextLimit }),
    },
  );
}

interface Verdict {
  readonly code: ProviderErrorCode;
  /** Follows "The model server at …". */
  readonly failure: string;
  readonly advice: string;
  readonly retryable?: boolean;
  readonly contextLimit?: number;
}

/** The most telling sign first: machine readable codes, then the server's words, then the status. */
function judge(
  body: ServerErrorBody,
  status: number | undefined,
  hasWait: boolean,
  context: ExchangeContext,
): Verdict {
  return judgeQuota(body, status, hasWait) ??
    judgeContext(body, status) ??
    judgeAccess(body, status, context) ??
    judgeModel(body, status, context) ??
    judgeLoad(body, status) ??
    judgeStatus(status, context);
}

const QUOTA_CODES_REGEXP =
  /insufficient_quota|quota_exceeded|billing|insufficient_balance|insufficient_funds|credit_balance|payment_required/;

const QUOTA_WORDS_REGEXP =
  /insufficient (?:quota|balance|credits?|funds)|(?:out of|no|not enough|requires more) credits?\b|exceeded your current quota|credit balance|billing (?:details|hard limit)|payment required/i;

/** Some servers describe a limit per minute as a quota; those name a wait. */
function judgeQuota(
  body: ServerErrorBody,
  status: number | undefined,
  hasWait: boolean,
): Verdict | undefined {
  const isClient = status === undefined || (status >= 400 && status < 500);
  const byWords = isClient && !hasWait && QUOTA_WORDS_REGEXP.test(body.message);
  if (status !== 402 && !QUOTA_CODES_REGEXP.test(body.codes) && !byWords) return undefined;
  return {
    code: "quota_exceeded",
    failure: "reports that the account's quota is used up",
    advice: "add credit or raise the limit at the provider, or use another provider",
  };
}

function judgeContext(body: ServerErrorBody, status: number | undefined): Verdict | undefined {
  if (/could not finish the message because max_tokens/i.test(body.message)) {
    return {
      code: "output_truncated",
      failure: "ran into the output limit before it could answer",
      advice: 'raise "limits.maxOutputTokens" or ask for less at once',
    };
  }
  if (status === 401 || status === 403 || status === 404 || status === 429) return undefined;
  const overflow = parseContextOverflow(body);
  if (overflow === undefined) return undefined;
  const { limit } = overflow;
  const tokens = limit === undefined ? "" : ` of ${limit} tokens`;
  if (overflow.part === "output") {
    return {
      code: "invalid_request",
      failure: `cannot reserve the requested output in its context${tokens}`,
      advice: 'lower "limits.maxOutputTokens"',
    };
  }
  return {
    code: "context_overflow",
    failure: `says that the request does not fit the model's context${tokens}`,
    advice: "shorten the conversation, or give the model a larger context",
    ...(limit === undefined ? {} : { contextLimit: limit }),
  };
}

const KEY_WORDS_REGEXP = /(?:invalid|incorrect|missing|no) api key|api key not valid/i;

function judgeAccess(
  body: ServerErrorBody,
  status: number | undefined,
  context: ExchangeContext,
): Verdict | undefined {
  const isKeyRefused = status === 401 || /invalid_api_key|authentication_error/.test(body.codes) ||
    (status !== undefined && status < 500 && KEY_WORDS_REGEXP.test(body.message));
  if (isKeyRefused) {
    return {
      code: "authentication",
      failure: context.hasKey ? "refuses the API key" : "wants an API key, and none is set",
      advice: "set the API key of this server",
    };
  }
  if (isModelMissing(body, context)) return undefined;
  if (status !== 403 && !/permission_(?:error|denied)/.test(body.codes)) return undefined;
  return {
    code: "permission",
    failure: "does not allow this request",
    advice: "check what the API key may use",
  };
}

function judgeModel(
  body: ServerErrorBody,
  status: number | undefined,
  context: ExchangeContext,
): Verdict | undefined {
  const names = context.model !== "" && body.message.includes(context.model);
  const isClient = status === undefined || (status >= 400 && status < 500);
  // A wrong address may be told in words that fit a model too.
  const mayBeAddress = status === 404 && !names && !hasVersion(context.baseUrl) &&
    !MISSING_CODES_REGEXP.test(body.codes);
  if (isClient && !mayBeAddress && isModelMissing(body, context)) {
    return {
      code: "model_not_found",
      failure: `does not offer the model "${context.quote(context.model)}"`,
      advice: "choose a model that the server lists, or load it there",
    };
  }
  if (status === 404 && names) {
    return {
      code: "model_not_found",
      failure: `cannot find the model "${context.quote(context.model)}"`,
      advice: "choose a model that the server lists, or load it there",
    };
  }
  if (status !== 404 && status !== 405) return undefined;
  const hint = context.apiMode === "responses" ? ', or set "provider.apiMode" to "chat"' : "";
  return {
    code: "not_found",
    failure: "does not know this address",
    advice: adviseBaseUrl(context) + hint,
  };
}

const MISSING_CODES_REGEXP = /model_not_found|invalid_model|model_not_available/;

const MISSING_MODEL_REGEXP =
  /model\b.{0,200}\b(?:does not exist|doesn't exist|not found|is not available|not a valid model)|not a valid model id|invalid model (?:name|id)|no such model|unknown model|try pulling it first/i;

function isModelMissing(body: ServerErrorBody, context: ExchangeContext): boolean {
  if (context.model === "") return false;
  return MISSING_CODES_REGEXP.test(body.codes) ||
    MISSING_MODEL_REGEXP.test(body.message.slice(0, 2_000));
}

const OVERLOADED_REGEXP = /overloaded|slow_down|server_is_overloaded|unavailable_error/;

function judgeLoad(body: ServerErrorBody, status: number | undefined): Verdict | undefined {
  if (status === 503 || status === 529 || OVERLOADED_REGEXP.test(body.codes)) {
    return {
      code: "overloaded",
      failure: "is overloaded or not ready",
      advice: "try again later",
      retryable: true,
    };
  }
  if (status === 429 || /rate_limit|too_many_requests|resource_exhausted/.test(body.codes)) {
    return {
      code: "rate_limited",
      failure: "limits the rate of requests",
      advice: "wait and try again",
      retryable: true,
    };
  }
  if (status !== undefined || !/invalid|bad_request/.test(body.codes)) return undefined;
  return invalidRequest();
}

/** Other failures of the client never mend themselves; a timeout or a conflict may. */
function judgeStatus(status: number | undefined, context: ExchangeContext): Verdict {
  const isTransient = status === undefined || status === 408 || status === 409 || status === 425;
  if (!isTransient && status < 500) return invalidRequest();
  return {
    code: "server_error",
    failure: status === undefined ? "reports an error" : "failed",
    advice: `try again later, or look into the log of "${context.baseUrl}"`,
    retryable: status !== 501 && status !== 505,
  };
}

function invalidRequest(): Verdict {
  return {
    code: "invalid_request",
    failure: "refuses the request",
    advice: "change what the message names: sending the same again would fail again",
  };
}
