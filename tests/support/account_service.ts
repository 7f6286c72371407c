/**
 * A service on loopback where people sign in: codes that are typed in a browser, a browser that comes
 * back, tokens that end, and models behind them. As careful services do, it exchanges the token for
 * renewals each time, and the second use of one ends the whole session.
 *
 * @module
 */

/** What a test sees of the service, and how it makes it behave. */
export interface AccountService {
  /** Its address. */
  readonly address: string;
  /** What was asked, such as `POST /oauth/token refresh_token`. */
  readonly log: readonly string[];
  /** Every token that it gave out. */
  readonly tokens: readonly string[];
  /** How long the next tokens live. */
  seconds: number;
  /** In place of an answer to the next requests for a token, if it is set. */
  tokenAnswer: (() => Response | Promise<Response>) | undefined;
  /** What the model answers. */
  reply: string;
  /** Approves what waits for a person. */
  approve(): void;
  /** Ends every session, as a person does in the settings of their account. */
  revoke(): void;
  /** Forgets tokens for requests, and keeps those for renewals. */
  expire(): void;
}

/**
 * Calls `fn` with a service, and ends it afterwards.
 *
 * @param fn The test.
 */
export async function withAccountService(
  fn: (service: AccountService) => Promise<void>,
): Promise<void> {
  const service = new Service();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => service.answer(request),
  );
  service.address = `http://127.0.0.1:${server.addr.port}`;
  try {
    await fn(service);
  } finally {
    await server.shutdown();
  }
}

class Service implements AccountService {
  address = "";
  readonly log: string[] = [];
  readonly tokens: string[] = [];
  seconds = 3_600;
  tokenAnswer: (() => Response | Promise<Response>) | undefined;
  reply = "Hello from Acme";
  #isApproved = false;
  readonly #access = new Set<string>();
  readonly #refresh = new Set<string>();
  readonly #used = new Set<string>();
  readonly #codes = new Map<string, { readonly challenge: string; readonly redirect: string }>();

  approve(): void {
    this.#isApproved = true;
  }

  revoke(): void {
    this.#access.clear();
    this.#refresh.clear();
  }

  expire(): void {
    this.#access.clear();
  }

  async answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const form = request.method === "POST" && pathname.startsWith("/oauth/")
      ? new URLSearchParams(await request.text())
      : new URLSearchParams();
    const grant = form.get("grant_type")?.split(":").at(-1) ?? "";
    this.log.push(`${request.method} ${pathname} ${grant}`.trim());
    switch (pathname) {
      case "/oauth/device":
        return Response.json({
          device_code: "device-code-0001",
          user_code: "ACME-1234",
          verification_uri: `${this.address}/device`,
          interval: 0.05,
        });
      case "/oauth/authorize":
        return this.#authorize(searchParams);
      case "/oauth/token":
        return await (this.tokenAnswer?.() ?? this.#token(form, grant));
      case "/v1/models":
        return this.#known(
          request,
          () =>
            Response.json({ models: [{ id: "acme-large", tokens: 64_000 }, { id: "acme-small" }] }),
        );
      case "/v1/chat":
        return this.#known(request, () => Response.json({ text: this.reply, calls: [] }));
      default:
        return new Response("nothing here", { status: 404 });
    }
  }

  #authorize(params: URLSearchParams): Response {
    const code = crypto.randomUUID();
    const redirect = params.get("redirect_uri") ?? "";
    this.#codes.set(code, { challenge: params.get("code_challenge") ?? "", redirect });
    const state = params.get("state") ?? "";
    const location = `${redirect}?${new URLSearchParams({ code, state })}`;
    return new Response(null, { status: 302, headers: { location } });
  }

  async #token(form: URLSearchParams, grant: string): Promise<Response> {
    switch (grant) {
      case "device_code":
        return this.#isApproved ? this.#give() : refused("authorization_pending");
      case "authorization_code":
        return await this.#exchange(form) ? this.#give() : refused("invalid_grant");
      case "refresh_token": {
        const token = form.get("refresh_token") ?? "";
        if (this.#used.has(token)) this.revoke();
        if (!this.#refresh.delete(token)) return refused("invalid_grant");
        this.#used.add(token);
        return this.#give();
      }
      default:
        return refused("unsupported_grant_type");
    }
  }

  async #exchange(form: URLSearchParams): Promise<boolean> {
    const code = form.get("code") ?? "";
    const known = this.#codes.get(code);
    this.#codes.delete(code);
    const bytes = new TextEncoder().encode(form.get("code_verifier") ?? "");
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const challenge = btoa(String.fromCharCode(...digest))
      .replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
    return known?.challenge === challenge && known.redirect === form.get("redirect_uri");
  }

  #give(): Response {
    const number = this.tokens.length;
    const [access, refresh] = [`access-token-${number}-abcdef`, `refresh-token-${number}-abcdef`];
    this.#access.add(access);
    this.#refresh.add(refresh);
    this.tokens.push(access, refresh);
    return Response.json({
      access_token: access,
      refresh_token: refresh,
      expires_in: this.seconds,
    });
  }

  #known(request: Request, answer: () => Response): Response {
    const token = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
    return this.#access.has(token) ? answer() : new Response("who is it?", { status: 401 });
  }
}

function refused(error: string): Response {
  return Response.json({ error }, { status: 400 });
}
