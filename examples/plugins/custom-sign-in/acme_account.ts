import {
  definePlugin,
  type ModelMessage,
  type ModelProvider,
  type ModelRequest,
  type OAuthCredential,
  type ProviderAuthMethod,
  ProviderError,
  type ProviderOAuth,
} from "@alisio/sdk";

/** The service, unless the option `service` of the plugin names another address. */
const SERVICE = "https://acme.example";
const CLIENT = "alisio";
const MAX_ANSWER_CHARS = 4_000_000;

/**
 * Signs in with a code that is typed in a browser, on this machine or another one.
 *
 * @param service Address of the service.
 */
export function deviceSignIn(service: string): ProviderAuthMethod {
  return {
    id: "device",
    label: "Acme account, with a code",
    kind: "oauth",
    description: "Works wherever your browser is.",
    async start({ show, signal }) {
      const begun = await post(`${service}/oauth/device`, { client_id: CLIENT }, signal);
      show({
        type: "device_code",
        url: textOf(begun, "verification_uri"),
        userCode: textOf(begun, "user_code"),
        instructions: "Approve the access in your browser.",
      });
      const request = {
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        device_code: textOf(begun, "device_code"),
        client_id: CLIENT,
      };
      for (;;) {
        const answer = await post(`${service}/oauth/token`, request, signal);
        const error = field(answer, "error");
        if (error === undefined) return credentialOf(answer);
        if (error !== "authorization_pending") throw new Error(`Acme says ${String(error)}`);
        await pause(Number(field(begun, "interval") ?? 5) * 1_000, signal);
      }
    },
    refresh: (credential, signal) => renew(service, credential, signal),
  };
}

/**
 * Signs in by the browser alone, which comes back to this machine; or with the address that it was
 * led to, pasted.
 *
 * @param service Address of the service.
 */
export function browserSignIn(service: string): ProviderAuthMethod {
  return {
    id: "browser",
    label: "Acme account, in the browser",
    kind: "oauth",
    async start({ show, prompt, loopback, signal }) {
      const state = randomText();
      const verifier = randomText();
      const listener = await loopback?.({ port: 0, path: "/callback", state })
        .catch(() => undefined);
      const redirectUri = listener?.redirectUri ?? `${service}/oauth/code`;
      const url = new URL(`${service}/oauth/authorize`);
      url.search = new URLSearchParams({
        client_id: CLIENT,
        redirect_uri: redirectUri,
        state,
        code_challenge: await challengeOf(verifier),
        code_challenge_method: "S256",
      }).toString();
      show({ type: "auth_url", url: url.href, instructions: "Approve the access there." });
      const code = listener === undefined
        ? codeIn(await prompt({ message: "Paste the address it led you to", secret: true }), state)
        : (await listener.wait()).code;
      const answer = await post(`${service}/oauth/token`, {
        grant_type: "authorization_code",
        code,
        code_verifier: verifier,
        redirect_uri: redirectUri,
        client_id: CLIENT,
      }, signal);
      const error = field(answer, "error");
      if (error !== undefined) throw new Error(`Acme says ${String(error)}`);
      return credentialOf(answer);
    },
    refresh: (credential, signal) => renew(service, credential, signal),
  };
}

async function renew(
  service: string,
  { refresh }: OAuthCredential,
  signal: AbortSignal,
): Promise<OAuthCredential> {
  if (refresh === undefined) throw new Error("Acme gave no token to renew it with");
  const body = { grant_type: "refresh_token", refresh_token: refresh, client_id: CLIENT };
  const answer = await post(`${service}/oauth/token`, body, signal);
  const error = field(answer, "error");
  if (error !== undefined) throw new Error(`Acme says ${String(error)}`);
  return credentialOf(answer);
}

/** A failure that says whether it may pass. */
class ServiceError extends Error {
  readonly retryable: boolean;

  constructor(message: string, { retryable }: { readonly retryable: boolean }) {
    super(message);
    this.retryable = retryable;
  }
}

/** Tokens come as JSON, and what is wrong as JSON with status 400. */
async function post(
  url: string,
  form: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<unknown> {
  let response: Response;
  try {
    const body = new URLSearchParams(form);
    response = await fetch(url, { method: "POST", body, signal, redirect: "error" });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ServiceError("Acme cannot be reached", { retryable: true });
  }
  if (response.status === 429 || response.status >= 500) {
    await response.body?.cancel();
    throw new ServiceError(`Acme answered with status ${response.status}`, { retryable: true });
  }
  return await readJson(response);
}

function credentialOf(answer: unknown): OAuthCredential {
  const refresh = field(answer, "refresh_token");
  const seconds = field(answer, "expires_in");
  return {
    type: "oauth",
    access: textOf(answer, "access_token"),
    ...(typeof refresh === "string" ? { refresh } : {}),
    ...(typeof seconds === "number" ? { expires: Date.now() + seconds * 1_000 } : {}),
  };
}

/**
 * Talks to Acme with the session of a profile.
 *
 * @param service Address of the service.
 * @param oauth The session, asked for anew for each request.
 */
export function acmeProvider(service: string, oauth: ProviderOAuth): ModelProvider {
  const call = async (path: string, init: RequestInit, signal: AbortSignal): Promise<unknown> => {
    const { access } = await oauth.get();
    const headers = { authorization: `Bearer ${access}`, "content-type": "application/json" };
    let response: Response;
    try {
      response = await fetch(`${service}${path}`, { ...init, headers, signal });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw new ProviderError("Acme cannot be reached", {
        code: "network",
        retryable: true,
        cause: error,
      });
    }
    if (response.ok) return await readJson(response);
    await response.body?.cancel();
    const { status } = response;
    // The host adds how to sign in again.
    if (status === 401) await oauth.invalidate("sign_in_required");
    throw new ProviderError(`Acme answered with status ${status}`, {
      code: status === 401 ? "authentication" : status === 429 ? "rate_limited" : "server_error",
      status,
      retryable: status === 429 || status >= 500,
    });
  };
  return {
    id: `acme ${service}`,
    async *stream(request) {
      const body = JSON.stringify(requestBody(request));
      const answer = await call("/v1/chat", { method: "POST", body }, request.signal);
      const text = textOf(answer, "text");
      const calls = field(answer, "calls");
      yield { type: "text_delta", delta: text };
      yield {
        type: "completed",
        message: {
          role: "assistant",
          text,
          calls: (Array.isArray(calls) ? calls : []).map((each) => ({
            id: textOf(each, "id"),
            name: textOf(each, "name"),
            arguments: textOf(each, "arguments"),
          })),
        },
      };
    },
    async listModels({ signal }) {
      const models = field(await call("/v1/models", {}, signal), "models");
      return (Array.isArray(models) ? models : []).map((each) => ({
        id: textOf(each, "id"),
        contextWindow: Number(field(each, "tokens")),
      }));
    },
  };
}

function requestBody({ model, system, messages, tools, maxOutputTokens }: ModelRequest): object {
  return { model, system, messages: messages.map(wireMessage), tools, maxOutputTokens };
}

function wireMessage(message: ModelMessage): object {
  switch (message.role) {
    case "user":
      return {
        role: "user",
        text: message.content.map((part) => part.type === "text" ? part.text : "").join("\n"),
      };
    case "assistant":
      return { role: "assistant", text: message.text, calls: message.calls };
    case "tool":
      return { role: "tool", callId: message.callId, text: message.text };
  }
}

/** The code of an address that brings the state back. */
function codeIn(address: string | undefined, state: string): string {
  const { searchParams } = URL.parse(address ?? "") ?? new URL("https://none.example");
  const code = searchParams.get("code");
  if (code === null || searchParams.get("state") !== state) {
    throw new Error("This is not the address that Acme led you to");
  }
  return code;
}

function randomText(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)));
}

async function challengeOf(verifier: string): Promise<string> {
  const bytes = new TextEncoder().encode(verifier);
  return base64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    }, { once: true });
  });
}

/** Stops at a limit, whatever the service sends. */
async function readJson(response: Response): Promise<unknown> {
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.length > MAX_ANSWER_CHARS) throw new Error("Acme sent an answer without end");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("Acme sent something else than JSON");
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function textOf(value: unknown, name: string): string {
  const text = field(value, name);
  return typeof text === "string" ? text : "";
}

export default definePlugin({
  id: "acme.account",
  name: "Acme",
  description: "Models of Acme, with an account instead of a key",
  version: "0.1.0",
  apiVersion: 1,
  categories: ["model-provider"],
  setup(api) {
    const option = api.options?.service;
    const service = typeof option === "string" ? option : SERVICE;
    api.providers.register({
      id: "acme",
      name: "Acme",
      description: "Models of Acme, with an account",
      fields: [],
      hosts: [new URL(service).origin],
      auth: [browserSignIn(service), deviceSignIn(service)],
      create({ oauth }) {
        if (oauth === undefined) throw new TypeError("Acme needs a host that signs in");
        return acmeProvider(service, oauth);
      },
    });
  },
});
