import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import type { OAuthCredential, ProviderAuthMethod, ProviderAuthStep } from "@alisio/sdk";
import { SignInDesk, type SignInPorts } from "../../../../core/provider/auth/sign_in.ts";
import { SignInError, type SignInFailure } from "../../../../core/provider/auth/sign_in_error.ts";

const SESSION: OAuthCredential = { type: "oauth", access: "a", expires: Date.now() + 3_600_000 };

function method(start: ProviderAuthMethod["start"]): ProviderAuthMethod {
  return { id: "device", label: "Account", kind: "oauth", start };
}

function ports(more: Partial<SignInPorts> = {}): SignInPorts & { shown: ProviderAuthStep[] } {
  const shown: ProviderAuthStep[] = [];
  return {
    show: (step) => void shown.push(step),
    hasBrowser: true,
    signal: new AbortController().signal,
    ...more,
    shown,
  };
}

function isFailure(reason: SignInFailure, text: RegExp): (error: unknown) => boolean {
  return (error) => {
    ok(error instanceof SignInError);
    equal(error.code, "sign_in_failed");
    equal(error.reason, reason, error.message);
    match(error.message, text);
    return true;
  };
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true })
  );
}

Deno.test("SignInDesk.run() shows steps and returns the session", async () => {
  const used = ports({ prompt: () => Promise.resolve(" pasted ") });
  const session = await new SignInDesk().run(
    method(async ({ show, prompt }) => {
      show({ type: "auth_url", url: "https://a.example/", instructions: "Open\x1b[2J it" });
      show({ type: "device_code", url: "http://localhost:1/x", userCode: "AB-12" });
      show({ type: "progress", message: "Waiting\nfor you" });
      equal(await prompt({ message: "Paste it", secret: true }), "pasted");
      return SESSION;
    }),
    used,
  );
  deepEqual(session, SESSION);
  deepEqual(used.shown, [
    { type: "auth_url", url: "https://a.example/", instructions: "Open\\x1b[2J it" },
    { type: "device_code", url: "http://localhost:1/x", userCode: "AB-12" },
    { type: "progress", message: "Waiting\\x0afor you" },
  ]);
});

Deno.test("SignInDesk.run() answers no prompt where nobody can", async () => {
  const asked: unknown[] = [];
  await new SignInDesk().run(
    method(async ({ prompt }) => {
      asked.push(await prompt({ message: "Paste it" }));
      return SESSION;
    }),
    ports(),
  );
  deepEqual(asked, [undefined]);
});

Deno.test("SignInDesk.run() offers a listener only where the browser is on this machine", async () => {
  for (const hasBrowser of [true, false]) {
    await new SignInDesk().run(
      method((context) => {
        equal("loopback" in context, hasBrowser);
        return Promise.resolve(SESSION);
      }),
      ports({ hasBrowser }),
    );
  }
});

/** A provider that shows one step. */
function shows(step: ProviderAuthStep): ProviderAuthMethod["start"] {
  return ({ show }) => {
    show(step);
    return Promise.resolve(SESSION);
  };
}

Deno.test("SignInDesk.run() says what is wrong with a step or a question that is none", async () => {
  const nothing = JSON.parse("null");
  const rows: readonly (readonly [ProviderAuthMethod["start"], RegExp])[] = [
    [shows(nothing), /Cannot show a step of a sign-in: it is no object$/],
    [shows(JSON.parse(`{ "type": "x" }`)), /its type is unknown$/],
    [
      ({ prompt }) => prompt(nothing).then(() => SESSION),
      /Cannot ask for a value: it is not said for which$/,
    ],
  ];
  for (const [start, message] of rows) {
    const asked = ports({ prompt: () => Promise.resolve("x") });
    await rejects(new SignInDesk().run(method(start), asked), message);
  }
});

Deno.test("SignInDesk.run() ends with unsafe_url, also where the provider hides it", async () => {
  const used = ports();
  await rejects(
    new SignInDesk().run(
      method(({ show, signal }) => {
        try {
          show({ type: "auth_url", url: "http://a.example/" });
        } catch {
          // The provider goes on as if nothing had happened.
        }
        return untilAborted(signal);
      }),
      used,
    ),
    isFailure("unsafe_url", /unsafe_url/),
  );
  deepEqual(used.shown, []);
});

Deno.test("SignInDesk.run() ends at its limit, and closes what the provider listens on", async () => {
  const opened = Promise.withResolvers<string>();
  const run = new SignInDesk().run(
    method(async ({ loopback }) => {
      const listener = await loopback?.({ port: 0, path: "/", state: "0123456789abcdef" });
      opened.resolve(listener?.redirectUri ?? "");
      // It does not listen to its signal.
      return await new Promise(() => {});
    }),
    ports({ limitMs: 50 }),
  );
  const failed = rejects(run, isFailure("expired", /more than 0\.05 seconds/));
  const { port } = new URL(await opened.promise);
  await failed;
  Deno.listen({ hostname: "127.0.0.1", port: Number(port) }).close();
});

Deno.test("SignInDesk.run() takes the place of the one that runs", async () => {
  const desk = new SignInDesk();
  const began = Promise.withResolvers<void>();
  const first = rejects(
    desk.run(
      method(({ signal }) => {
        began.resolve();
        return untilAborted(signal);
      }),
      ports(),
    ),
    isFailure("replaced", /took its place/),
  );
  await began.promise;
  deepEqual(await desk.run(method(() => Promise.resolve(SESSION)), ports()), SESSION);
  await first;
});

Deno.test("SignInDesk.run() is cancelled by its signal and by the desk", async () => {
  const desk = new SignInDesk();
  const stop = new AbortController();
  const one = rejects(
    desk.run(method(({ signal }) => untilAborted(signal)), ports({ signal: stop.signal })),
    isFailure("cancelled", /cancelled/),
  );
  stop.abort();
  await one;
  await rejects(
    desk.run(method(() => Promise.resolve(SESSION)), ports({ signal: AbortSignal.abort() })),
    isFailure("cancelled", /cancelled/),
  );
  const two = rejects(
    desk.run(method(({ signal }) => untilAborted(signal)), ports()),
    isFailure("cancelled", /cancelled/),
  );
  desk.cancel();
  await two;
});

Deno.test("SignInDesk.run() hears nothing of a provider whose sign-in is over", async () => {
  const late = Promise.withResolvers<void>();
  const used = ports({ limitMs: 20, prompt: () => Promise.resolve("late") });
  await rejects(
    new SignInDesk().run(
      method(async ({ show, prompt, signal }) => {
        await untilAborted(signal).catch(() => {});
        show({ type: "progress", message: "late" });
        equal(await prompt({ message: "late" }), undefined);
        late.resolve();
        throw new Error("nobody waits for this");
      }),
      used,
    ),
    isFailure("expired", /more than/),
  );
  await late.promise;
  deepEqual(used.shown, []);
});

Deno.test("SignInDesk.run() stops showing steps that never end", async () => {
  const used = ports();
  await new SignInDesk().run(
    method(({ show }) => {
      for (let index = 0; index < 10_000; index++) {
        show({ type: "progress", message: "x".repeat(10_000) });
      }
      return Promise.resolve(SESSION);
    }),
    used,
  );
  equal(used.shown.length, 500);
  ok(used.shown.every((step) => step.type === "progress" && step.message.length === 1_000));
});

const FAILURES: readonly (readonly [string, () => unknown, SignInFailure, RegExp])[] = [
  [
    "throws",
    () => {
      throw new Error("no\x1b[2J account");
    },
    "failed",
    /no\\x1b\[2J account/,
  ],
  ["rejects with a text", () => Promise.reject("just so"), "failed", /just so/],
  [
    "names a key",
    () => Promise.reject(new Error("bad sk-abcdefghijklmnopqrst0123456789")),
    "failed",
    /bad \[redacted\]/,
  ],
  ["returns nothing", () => undefined, "invalid_session", /no object/],
  ["returns a key", () => ({ type: "api_key", key: "x" }), "invalid_session", /"type"/],
  [
    "returns what is over",
    () => ({ type: "oauth", access: "a", expires: Date.now() - 1_000 }),
    "invalid_session",
    /ended already/,
  ],
];

for (const [name, start, reason, text] of FAILURES) {
  Deno.test(`SignInDesk.run() fails where the provider ${name}`, async () => {
    // Plugins need not be written in TypeScript.
    const given = method(start as ProviderAuthMethod["start"]);
    await rejects(new SignInDesk().run(given, ports()), isFailure(reason, text));
  });
}
