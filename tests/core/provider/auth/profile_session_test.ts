import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { type OAuthCredential, type ProviderAuthMethod, ProviderError } from "@alisio/sdk";
import {
  ProfileSession,
  type ProfileSessionPorts,
} from "../../../../core/provider/auth/profile_session.ts";
import { readRenewed, renewalLockPath } from "../../../../core/provider/auth/renewed_sessions.ts";
import { writeSession } from "../../../../core/provider/credentials.ts";
import { renewedSessionsPath } from "../../../../core/provider/credentials_path.ts";
import { tryLockFile } from "../../../../core/session/lock_file.ts";
import { DENO, ROOT } from "../../../support/paths.ts";
import { withTempDir } from "../../../support/temp.ts";

const HOUR_MS = 3_600_000;
const posix = Deno.build.os !== "windows";

interface Scene {
  readonly homes: { readonly configHome: string; readonly stateHome: string };
  readonly hidden: string[];
  readonly notices: string[];
  /** Signs in with a session. */
  signIn(credential: Partial<OAuthCredential>, signedInAt?: number): Promise<void>;
  /** The session as another process sees it. */
  open(
    refresh?: ProviderAuthMethod["refresh"],
    more?: Partial<ProfileSessionPorts>,
  ): ProfileSession;
}

async function withScene(fn: (scene: Scene) => Promise<void>): Promise<void> {
  await withTempDir(async (dir) => {
    const homes = { configHome: join(dir, "config"), stateHome: join(dir, "state") };
    const hidden: string[] = [];
    const notices: string[] = [];
    await fn({
      homes,
      hidden,
      notices,
      async signIn(credential, signedInAt = Date.now() - HOUR_MS) {
        await writeSession(homes.configHome, "work", {
          id: crypto.randomUUID(),
          provider: "acme",
          method: "device",
          signedInAt,
          credential: { type: "oauth", access: "access-1", refresh: "refresh-1", ...credential },
        });
      },
      open: (refresh, more = {}) =>
        new ProfileSession({
          ...homes,
          profile: "work",
          provider: "acme",
          methods: [{
            id: "device",
            label: "Account",
            kind: "oauth",
            start: () => Promise.reject(new Error("nobody is here")),
            ...(refresh === undefined ? {} : { refresh }),
          }],
          hideSecrets: (secrets) => void hidden.push(...secrets),
          notify: (notice) => void notices.push(notice),
          ...more,
        }),
    });
  });
}

function renewed(number: number): OAuthCredential {
  return {
    type: "oauth",
    access: `access-${number}`,
    refresh: `refresh-${number}`,
    expires: Date.now() + HOUR_MS,
  };
}

function isSignIn(text: RegExp): (error: unknown) => boolean {
  return (error) => {
    ok(error instanceof ProviderError);
    equal(error.code, "authentication");
    equal(error.retryable, false);
    match(error.message, text);
    match(error.message, /alisio connect acme --profile work --sign-in device$/);
    return true;
  };
}

function isPassing(text: RegExp): (error: unknown) => boolean {
  return (error) => {
    ok(error instanceof ProviderError);
    equal(error.retryable, true);
    match(error.message, text);
    return true;
  };
}

const never = (): Promise<never> => Promise.reject(new Error("must not be renewed"));

Deno.test("ProfileSession.get() returns a session that goes on, and hides it", async () => {
  await withScene(async ({ signIn, open, hidden }) => {
    await signIn({ expires: Date.now() + HOUR_MS });
    equal((await open(never).get()).access, "access-1");
    deepEqual(hidden, ["access-1", "refresh-1"]);
    await signIn({});
    equal((await open(never).get()).access, "access-1", "no end is known");
  });
});

Deno.test("ProfileSession.get() renews before the end, stores it, and merges metadata", async () => {
  await withScene(async ({ signIn, open, homes, hidden }) => {
    await signIn({ expires: Date.now() + 30_000, metadata: { account: "me", plan: "old" } });
    const seen: OAuthCredential[] = [];
    const session = open((credential) => {
      seen.push(credential);
      const { refresh: _, ...rest } = renewed(2);
      return Promise.resolve({ ...rest, metadata: { plan: "new" } });
    });
    const got = await session.get();
    equal(got.access, "access-2");
    equal(got.refresh, "refresh-1", "the one before, since none came back");
    deepEqual(got.metadata, { account: "me", plan: "new" });
    equal(seen[0]?.refresh, "refresh-1");
    ok(hidden.includes("access-2"));
    equal((await open(never).get()).access, "access-2", "another process finds it");
    const path = renewedSessionsPath(homes.stateHome);
    if (posix) {
      equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
      equal(((await Deno.stat(join(path, ".."))).mode ?? 0) & 0o777, 0o700);
    }
    const left = (await Array.fromAsync(Deno.readDir(join(path, "..")))).map(({ name }) => name);
    deepEqual(left, ["renewed.json"]);
    const { configHome } = homes;
    match(await Deno.readTextFile(join(configHome, "credentials.json")), /access-1/);
  });
});

Deno.test("ProfileSession.get() renews a short session only when little is left of it", async () => {
  await withScene(async ({ signIn, open }) => {
    await signIn({ expires: Date.now() + 20_000 }, Date.now());
    equal((await open(never).get()).access, "access-1");
    await signIn({ expires: Date.now() + 2_000 }, Date.now() - 18_000);
    equal((await open(() => Promise.resolve(renewed(2))).get()).access, "access-2");
  });
});

Deno.test("ProfileSession.get() renews once for all who ask at once", async () => {
  await withScene(async ({ signIn, open }) => {
    await signIn({ expires: Date.now() - 1 });
    let renewals = 0;
    const session = open(() => Promise.resolve(renewed(++renewals + 1)));
    const got = await Promise.all(Array.from({ length: 5 }, () => session.get()));
    deepEqual(got.map(({ access }) => access), Array(5).fill("access-2"));
    equal(renewals, 1);
  });
});

Deno.test("ProfileSession.get() renews once in all processes together", async () => {
  await withScene(async ({ signIn, homes }) => {
    await signIn({ expires: Date.now() - 1 });
    const given: string[] = [];
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      async (request) => {
        const refresh = await request.text();
        // As services that exchange the refresh token do: the second use of one ends everything.
        if (given.includes(refresh)) return new Response("used twice", { status: 400 });
        given.push(refresh);
        return Response.json(renewed(given.length + 1));
      },
    );
    const runs = await Promise.all(Array.from({ length: 3 }, () =>
      new Deno.Command(DENO, {
        args: [
          ...["run", "-A", "--no-check", "--config", `${ROOT}/deno.json`],
          join(import.meta.dirname ?? "", "_renewing_process.ts"),
          ...[homes.configHome, homes.stateHome, `http://127.0.0.1:${server.addr.port}/`],
        ],
      }).output()));
    const decoder = new TextDecoder();
    deepEqual(
      runs.map(({ stdout, stderr }) => decoder.decode(stdout) || decoder.decode(stderr)),
      ["access-2", "access-2", "access-2"],
    );
    deepEqual(given, ["refresh-1"]);
  });
});

Deno.test("ProfileSession.get() is not held up by a process that was killed in a renewal", async () => {
  await withScene(async ({ signIn, open, homes }) => {
    await signIn({ expires: Date.now() - 1 });
    const asked = Promise.withResolvers<void>();
    const answers: PromiseWithResolvers<Response>[] = [];
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => {
        asked.resolve();
        const answer = Promise.withResolvers<Response>();
        answers.push(answer);
        return answer.promise;
      },
    );
    const killed = new Deno.Command(DENO, {
      args: [
        ...["run", "-A", "--no-check", "--config", `${ROOT}/deno.json`],
        join(import.meta.dirname ?? "", "_renewing_process.ts"),
        ...[homes.configHome, homes.stateHome, `http://127.0.0.1:${server.addr.port}/`],
      ],
      stdout: "null",
      stderr: "null",
    }).spawn();
    await asked.promise;
    equal(tryLockFile(renewalLockPath(homes.stateHome, "work")), null, "it holds the lock");
    killed.kill("SIGKILL");
    await killed.status;
    equal((await open(() => Promise.resolve(renewed(2))).get()).access, "access-2");
    for (const { resolve } of answers) resolve(new Response());
  });
});

Deno.test("ProfileSession.get() uses what is left of a session that cannot be renewed for now", async () => {
  await withScene(async ({ signIn, open }) => {
    const busy = () => Promise.reject(Object.assign(new Error("busy"), { retryable: true }));
    await signIn({ expires: Date.now() + 30_000 });
    equal((await open(busy).get()).access, "access-1");
    await signIn({ expires: Date.now() - 1 });
    const session = open(busy);
    await rejects(session.get(), isPassing(/profile "work": busy/));
    await rejects(open(() => new Promise(() => {}), { limitMs: 30 }).get(), isPassing(/0\.03 sec/));
    equal(session.ended, undefined);
    equal((await open(() => Promise.resolve(renewed(2))).get()).access, "access-2");
  });
});

const REFUSALS: readonly (readonly [string, () => unknown, RegExp])[] = [
  ["says no", () => Promise.reject(new Error("revoked")), /cannot be renewed: revoked;/],
  [
    "says that it is retryable in another way",
    () => Promise.reject(Object.assign(new Error("no"), { retryable: "true" })),
    /cannot be renewed: no;/,
  ],
  ["throws", () => {
    throw new Error("at once");
  }, /cannot be renewed: at once;/],
  ["rejects with nothing", () => Promise.reject(null), /cannot be renewed/],
  ["answers nothing", () => Promise.resolve(undefined), /what came back is none/],
  [
    "answers what is over",
    () => Promise.resolve({ ...renewed(2), expires: Date.now() - 1 }),
    /has ended already/,
  ],
  [
    "answers too much",
    () => Promise.resolve({ ...renewed(2), access: "a".repeat(1_000_000) }),
    /what came back is none/,
  ],
  [
    "shows the tokens",
    () => Promise.reject(new Error("bad refresh-1 of access-1\x1b[2J")),
    /bad \[redacted\] of \[redacted\]\\x1b/,
  ],
];

for (const [name, refresh, text] of REFUSALS) {
  Deno.test(`ProfileSession.get() asks to sign in again where the service ${name}`, async () => {
    await withScene(async ({ signIn, open, homes }) => {
      await signIn({ expires: Date.now() - 1 });
      // Plugins need not be written in TypeScript.
      const session = open(refresh as ProviderAuthMethod["refresh"]);
      await rejects(session.get(), isSignIn(text));
      match(session.ended?.message ?? "", text);
      await rejects(open(never).get(), isSignIn(/its session has ended/), "known to all");
      equal("endedAt" in ((await readRenewed(homes.stateHome))["work"] ?? {}), true);
      await signIn({ expires: Date.now() + HOUR_MS, access: "access-9" });
      equal((await session.get()).access, "access-9", "a new sign-in makes it good");
      equal(session.ended, undefined);
    });
  });
}

Deno.test("ProfileSession.get() uses a session without a renewal up to its end", async () => {
  await withScene(async ({ signIn, open }) => {
    await signIn({ expires: Date.now() + 30_000 });
    equal((await open().get()).access, "access-1");
    await signIn({ expires: Date.now() - 1 });
    await rejects(open().get(), isSignIn(/it cannot be renewed/));
  });
});

Deno.test("ProfileSession.get() gives nobody the session of another provider or profile", async () => {
  await withScene(async ({ signIn, open }) => {
    await rejects(open(never).get(), isSignIn(/nobody is signed in/));
    await signIn({});
    await rejects(open(never, { provider: "other" }).get(), /nobody is signed in/);
    await rejects(open(never, { profile: "home" }).get(), /nobody is signed in/);
    await rejects(open(never, { profile: "constructor" }).get(), /nobody is signed in/);
  });
});

Deno.test("ProfileSession.get() goes on with a renewal that cannot be stored, and says so", async () => {
  await withScene(async ({ signIn, open, homes, notices }) => {
    await signIn({ expires: Date.now() - 1 });
    await Deno.mkdir(renewedSessionsPath(homes.stateHome), { recursive: true });
    let renewals = 0;
    const session = open(() => Promise.resolve(renewed(++renewals + 1)));
    equal((await session.get()).access, "access-2");
    equal((await session.get()).access, "access-2");
    equal(renewals, 1);
    match(notices.join("\n"), /^The renewed session of profile "work" cannot be stored/);
  });
});

Deno.test("ProfileSession.get() takes a damaged file of renewals for none", async () => {
  await withScene(async ({ signIn, open, homes }) => {
    await signIn({ expires: Date.now() + HOUR_MS });
    const path = renewedSessionsPath(homes.stateHome);
    await Deno.mkdir(join(path, ".."), { recursive: true });
    for (const text of ["", "{", '{"schemaVersion":1,"sessions":{"work":{"id":1}}}', "[]"]) {
      await Deno.writeTextFile(path, text);
      equal((await open(never).get()).access, "access-1");
    }
  });
});

Deno.test("ProfileSession.invalidate() ends the session that was given, and no newer one", async () => {
  await withScene(async ({ signIn, open }) => {
    await signIn({});
    const session = open(never);
    await session.invalidate("sign_in_required");
    equal((await session.get()).access, "access-1", "nothing had been given yet");
    await signIn({ access: "access-5" });
    await session.invalidate("sign_in_required");
    equal((await session.get()).access, "access-5");
    await session.invalidate("sign_in_required");
    match(session.ended?.message ?? "", /the service refused its session/);
    await rejects(session.get(), isSignIn(/the service refused its session/));
    await rejects(open(never).get(), isSignIn(/its session has ended/));
  });
});
