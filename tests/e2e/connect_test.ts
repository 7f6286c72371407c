import assert from "node:assert/strict";
import { join } from "node:path";
import { type AccountService, withAccountService } from "../support/account_service.ts";
import { type CliScene, dataOf, shown, withCli } from "../support/cli_harness.ts";
import { ROOT } from "../support/paths.ts";
import { HAS_TERMINAL, IN_TERMINAL, Person } from "../support/person.ts";

const PLUGIN = join(ROOT, "examples/plugins/custom-sign-in/acme_account.ts");
const KEY = "key-of-the-test-0000";
const COMMAND = `alisio connect acme --sign-in device --plugin ${PLUGIN}`;

/** A service with accounts, and the example plugin that is told where it is. */
async function withAcme(
  fn: (cli: CliScene, service: AccountService) => Promise<void>,
): Promise<void> {
  await withAccountService(async (service) =>
    await withCli(async (cli) => {
      const options = { service: service.address };
      await cli.configure({
        plugins: [PLUGIN],
        pluginOverrides: { "acme.account": { options } },
      });
      await fn(cli, service);
    })
  );
}

async function signIn(cli: CliScene, service: AccountService): Promise<void> {
  service.approve();
  const signedIn = await cli.run([
    "connect",
    "acme",
    "--sign-in",
    "device",
    "--model",
    "acme-large",
  ]);
  assert.equal(signedIn.status, 0, shown(signedIn));
}

/** Makes the stored session one that has ended. */
async function letExpire(cli: CliScene): Promise<void> {
  const path = join(cli.configHome, "credentials.json");
  const content = JSON.parse(await Deno.readTextFile(path));
  content.sessions.acme.credential.expires = Date.now() - 1_000;
  await Deno.writeTextFile(path, JSON.stringify(content));
}

function renewals(service: AccountService): number {
  return service.log.filter((line) => line === "POST /oauth/token refresh_token").length;
}

/** Everything that was written below a folder, as one text. */
async function allText(folder: string): Promise<string> {
  const texts: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    texts.push(isDirectory ? await allText(path) : await Deno.readTextFile(path));
  }
  return texts.join("\n");
}

/** A server with two models that wants a key. */
async function withModels(fn: (address: string) => Promise<void>): Promise<void> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    if (!new URL(request.url).pathname.startsWith("/v1/")) {
      return new Response("no", { status: 404 });
    }
    return request.headers.get("authorization") === `Bearer ${KEY}`
      ? Response.json({ data: [{ id: "alpha", context_window: 9_000 }, { id: "beta" }] })
      : new Response("no", { status: 401 });
  });
  try {
    await fn(`127.0.0.1:${server.addr.port}`);
  } finally {
    await server.shutdown();
  }
}

Deno.test("alisio connect saves what flags say, asks nothing, and makes it the active one", async () => {
  await withModels(async (address) =>
    await withCli(async (cli) => {
      const env = { ACME_KEY: KEY };
      const flags = ["--base-url", address, "--api-key-env", "ACME_KEY", "--model", "beta"];
      const connected = await cli.run(["connect", "openai-compatible", ...flags, "--json"], {
        env,
      });
      assert.equal(connected.status, 0, shown(connected));
      const { port } = new URL(`http://${address}`);
      const profile = `local-${port}`;
      const baseURL = `http://${address}/v1`;
      assert.deepEqual(dataOf(connected, "connect"), {
        profile,
        provider: "openai-compatible",
        model: "beta",
        baseURL,
      });
      const saved = JSON.parse(await Deno.readTextFile(join(cli.configHome, "providers.json")));
      assert.deepEqual(saved, {
        schemaVersion: 1,
        active: { profile, model: "beta" },
        profiles: {
          [profile]: { provider: "openai-compatible", values: { baseURL, apiKeyEnv: "ACME_KEY" } },
        },
      });
      await assert.rejects(Deno.stat(join(cli.configHome, "credentials.json")));
      const listed = await cli.run(["connect", "--list"], { env });
      assert.equal(listed.stdout, `*  ${profile}  ${baseURL}  key in variable  beta\n`);
      const again = await cli.run(["connect", ...flags, "--model", "alpha"], { env });
      assert.equal(again.stdout, `Connected: new sessions use ${profile}/alpha\n`, shown(again));
      const removed = await cli.run(["connect", "--remove", profile]);
      assert.equal(removed.status, 0, shown(removed));
      const none = await cli.run(["connect", "--list"]);
      assert.deepEqual([none.stdout, none.status], ["", 0]);
    })
  );
});

Deno.test("alisio connect --api-key-stdin stores the key, and shows it nowhere", async () => {
  await withModels(async (address) =>
    await withCli(async (cli) => {
      const line = `export OPENAI_API_KEY="${KEY}"\n`;
      const connected = await cli.run(
        ["connect", "--base-url", `${address}/v1/models`, "--api-key-stdin", "--model", "alpha"],
        { stdin: new TextEncoder().encode(line) },
      );
      assert.equal(connected.status, 0, shown(connected));
      const path = join(cli.configHome, "credentials.json");
      const { credentials } = JSON.parse(await Deno.readTextFile(path));
      assert.deepEqual(Object.values(credentials), [{ apiKey: KEY }]);
      if (Deno.build.os !== "windows") assert.equal((await Deno.stat(path)).mode ?? 0, 0o100600);
      assert.ok(!`${connected.stdout}${connected.stderr}`.includes(KEY));
      const elsewhere = await cli.run([
        ...["connect", "--profile", Object.keys(credentials)[0] ?? ""],
        ...["--base-url", "http://127.0.0.1:9/v1", "--model", "alpha"],
      ]);
      assert.equal(elsewhere.status, 0, shown(elsewhere));
      const after = JSON.parse(await Deno.readTextFile(path));
      assert.deepEqual(after.credentials, {}, "a key does not follow to another server");
    })
  );
});

const REFUSED: readonly (readonly [readonly string[], RegExp])[] = [
  [["nope"], /There is no provider "nope"; there are "openai-compatible"/],
  [["openai-compatible", "extra"], /Unexpected argument "extra"/],
  [[], /Name the provider: alisio connect <provider>/],
  [["openai-compatible", "--set", "apiKey=x", "--model", "m"], /can be seen by others/],
  [["openai-compatible", "--set", "auht=none", "--model", "m"], /did you mean "auth"/],
  [["openai-compatible", "--set", "auth=maybe", "--model", "m"], /must be one of bearer, none/],
  [["openai-compatible", "--api-key-env", "sk-123", "--model", "m"], /not the key itself/],
  [["openai-compatible", "--base-url", "ftp://x", "--model", "m"], /must be an address such as/],
  [["openai-compatible", "--base-url", "https://a:b@c.d", "--model", "m"], /no user name/],
  [["openai-compatible", "--context-window", "many", "--model", "m"], /must be a number of tokens/],
  [["openai-compatible", "--sign-in", "device"], /it takes no accounts/],
  [["openai-compatible", "--profile", "a/b", "--model", "m"], /The name of a profile must have/],
  [["--list", "--remove", "x"], /alone/],
  [["--remove", "x"], /There is no profile "x": none is saved/],
];

for (const [args, text] of REFUSED) {
  Deno.test(`alisio connect ${args.join(" ")} is refused, and nothing is written`, async () => {
    await withCli(async (cli) => {
      const refused = await cli.run(["connect", ...args]);
      assert.equal(refused.status, 2, shown(refused));
      assert.match(refused.stderr, text);
      await assert.rejects(Deno.stat(join(cli.configHome, "providers.json")));
    });
  });
}

Deno.test("A person signs in, runs behind the second wall, and the session is renewed there", async () => {
  await withAcme(async (cli, service) => {
    service.approve();
    const signedIn = await cli.run([
      ...["connect", "acme", "--sign-in", "device", "--model", "acme-large", "--json"],
    ]);
    assert.equal(signedIn.status, 0, shown(signedIn));
    assert.match(signedIn.stderr, /ACME-1234/);
    const path = join(cli.configHome, "credentials.json");
    const { sessions } = JSON.parse(await Deno.readTextFile(path));
    assert.equal(sessions.acme.credential.access, service.tokens[0]);
    const profiles = JSON.parse(await Deno.readTextFile(join(cli.configHome, "providers.json")));
    assert.deepEqual(profiles.profiles.acme, {
      provider: "acme",
      values: {},
      hosts: [service.address],
    });
    const doctor = await cli.run(["doctor"]);
    assert.match(doctor.stdout, /^Key +signed in with an account$/m, shown(doctor));
    const first = await cli.run(["run", "hi"]);
    assert.deepEqual([first.status, first.stdout], [0, "Hello from Acme\n"], shown(first));
    assert.equal(renewals(service), 0);

    await letExpire(cli);
    const before = await Deno.readTextFile(path);
    service.reply = "I say access-token-1-abcdef and access-token-0-abcdef";
    const second = await cli.run(["run", "hi", "--json"]);
    assert.equal(second.status, 0, shown(second));
    assert.equal(renewals(service), 1);
    assert.equal(await Deno.readTextFile(path), before, "the configuration is not written to");
    const third = await cli.run(["run", "hi"]);
    assert.equal(third.status, 0, shown(third));
    assert.equal(renewals(service), 1, "the next run finds what was renewed");

    const renewed = join(cli.stateHome, "sign-in", "renewed.json");
    assert.ok((await Deno.readTextFile(renewed)).includes(service.tokens[2] ?? "none"));
    await Deno.remove(renewed);
    const kept = await allText(cli.stateHome);
    const said = `${signedIn.stdout}${signedIn.stderr}${second.stdout}${third.stdout}${kept}`;
    for (const token of service.tokens.slice(2)) assert.ok(!said.includes(token), token);
  });
});

Deno.test("A run whose session was revoked says how to sign in again, and then goes on", async () => {
  await withAcme(async (cli, service) => {
    await signIn(cli, service);
    service.revoke();
    const refused = await cli.run(["run", "hi"]);
    assert.equal(refused.status, 1, shown(refused));
    assert.match(
      refused.stderr,
      /Cannot use profile "acme": the service refused its session; sign in again with: alisio connect acme --sign-in device\n/,
    );
    const again = await cli.run(["run", "hi"]);
    assert.match(again.stderr, /its session has ended; sign in again with/, shown(again));
    const list = await cli.run(["connect", "acme", "--sign-in", "device"]);
    assert.equal(list.stdout, "Connected: new sessions use acme/acme-large\n", shown(list));
    const run = await cli.run(["run", "hi"]);
    assert.deepEqual([run.status, run.stdout], [0, "Hello from Acme\n"], shown(run));
    await letExpire(cli);
    service.revoke();
    const ended = await cli.run(["run", "hi"]);
    assert.match(ended.stderr, /its session cannot be renewed: Acme says invalid_grant; sign in/);
  });
});

Deno.test("The command that signs in again names the plugin of the command line", async () => {
  await withAcme(async (cli, service) => {
    await signIn(cli, service);
    service.revoke();
    await cli.configure({
      pluginOverrides: { "acme.account": { options: { service: service.address } } },
    });
    const refused = await cli.run(["run", "hi", "--plugin", PLUGIN]);
    assert.ok(refused.stderr.includes(`sign in again with: ${COMMAND}\n`), shown(refused));
  });
});

Deno.test("Two runs at once renew a session once", async () => {
  await withAcme(async (cli, service) => {
    await signIn(cli, service);
    await letExpire(cli);
    const runs = await Promise.all([cli.run(["run", "hi"]), cli.run(["run", "hi"])]);
    for (const run of runs) assert.equal(run.status, 0, shown(run));
    assert.equal(renewals(service), 1);
  });
});

Deno.test("A run goes on where a renewal fails for the moment", async () => {
  await withAcme(async (cli, service) => {
    await signIn(cli, service);
    await letExpire(cli);
    service.tokenAnswer = () => {
      service.tokenAnswer = undefined;
      return new Response("busy", { status: 503 });
    };
    const run = await cli.run(["run", "hi"]);
    assert.deepEqual([run.status, run.stdout], [0, "Hello from Acme\n"], shown(run));
    assert.equal(renewals(service), 2);
  });
});

Deno.test("A run that is killed in a renewal does not hold up the next one", async () => {
  await withAcme(async (cli, service) => {
    await signIn(cli, service);
    await letExpire(cli);
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<Response>();
    service.tokenAnswer = () => {
      asked.resolve();
      return answer.promise;
    };
    const killed = cli.start(["run", "hi"]);
    await asked.promise;
    killed.kill("SIGKILL");
    await killed.ended;
    answer.resolve(new Response());
    service.tokenAnswer = undefined;
    const next = await cli.run(["run", "hi"]);
    assert.deepEqual([next.status, next.stdout], [0, "Hello from Acme\n"], shown(next));
  });
});

const ANSWERS: readonly (readonly [string, () => Response, RegExp])[] = [
  ["lies", () => Response.json({ access_token: "" }), /"access" is no text/],
  ["sends no JSON", () => new Response("<html>"), /something else than JSON/],
  [
    "sends an answer without end",
    () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            controller.enqueue(new TextEncoder().encode("x".repeat(65_536)));
          },
        }),
      ),
    /an answer without end/,
  ],
  [
    "leads elsewhere",
    () => new Response(null, { status: 302, headers: { location: "http://127.0.0.1:9/" } }),
    /cannot be reached/,
  ],
];

for (const [name, answer, text] of ANSWERS) {
  Deno.test(`alisio connect stores nothing where the service ${name}`, async () => {
    await withAcme(async (cli, service) => {
      service.tokenAnswer = answer;
      const failed = await cli.run(["connect", "acme", "--sign-in", "device", "--model", "m"]);
      assert.equal(failed.status, 1, shown(failed));
      assert.match(failed.stderr, text);
      await assert.rejects(Deno.stat(join(cli.configHome, "providers.json")));
      await assert.rejects(Deno.stat(join(cli.configHome, "credentials.json")));
    });
  });
}

Deno.test({
  name: "alisio connect asks a person for everything, and hides the key",
  ignore: !HAS_TERMINAL,
  fn: async () => {
    await withModels(async (address) =>
      await withCli(async (cli) => {
        const person = new Person(cli.start(["connect"], IN_TERMINAL));
        await person.sees(/Which provider\?[\s\S]*OpenAI compatible[\s\S]*Number: /);
        await person.type("1\r");
        await person.sees(/Base URL: /);
        await person.type(`\x15not an address\r`);
        await person.sees(/Base URL must be an address/);
        await person.type(`\x15\x1b[200~ "${address}/v1/chat/completions"\n\x1b[201~\r`);
        await person.sees(/API key: /);
        await person.type(`\x1b[200~Bearer ${KEY}\n\x1b[201~\r`);
        await person.sees(/Change API mode, Authentication[\s\S]*y\/n: /);
        await person.type("n\r");
        await person.sees(/Which model\?[\s\S]*alpha[\s\S]*9000 tokens[\s\S]*beta[\s\S]*Number: /);
        await person.type("bet\r");
        await person.sees(/bet\s[\s\S]*Enter takes it[\s\S]*Number: /);
        await person.type("\r");
        await person.sees(/Context window in tokens: /);
        await person.type("128k\r");
        const { status, stdout } = await person.run.ended;
        assert.equal(status, 0, stdout);
        assert.ok(stdout.includes("****"), "signs stand for it");
        assert.ok(!stdout.includes(KEY), stdout);
        const saved = JSON.parse(await Deno.readTextFile(join(cli.configHome, "providers.json")));
        const [profile] = Object.values(saved.profiles);
        assert.deepEqual(profile, {
          provider: "openai-compatible",
          values: { baseURL: `http://${address}/v1`, contextWindow: 128_000 },
        });
        assert.equal(saved.active.model, "beta");
      })
    );
  },
});

Deno.test({
  name: "alisio connect brings a person back from the browser",
  ignore: !HAS_TERMINAL,
  fn: async () => {
    await withAcme(async (cli, service) => {
      const person = new Person(cli.start(["connect", "acme"], IN_TERMINAL));
      await person.sees(/How do you sign in\?[\s\S]*in the browser[\s\S]*Number: /);
      await person.type("1\r");
      const links: string[] = [];
      const regexp = /^(http\S+\/oauth\/authorize\S+)\r?$/m;
      await person.run.outputText({
        test(text) {
          links.push(...regexp.exec(text)?.slice(1) ?? []);
          return links.length > 0;
        },
      });
      // The browser of a person: it opens the address and follows where it is sent.
      const page = await fetch(links[0] ?? "");
      assert.match(await page.text(), /You can close this page/);
      await person.sees(/Which model\?[\s\S]*acme-large[\s\S]*Number: /);
      await person.type("1\r");
      const { status, stdout } = await person.run.ended;
      assert.equal(status, 0, stdout);
      assert.match(stdout, /new sessions use acme\/acme-large/);
      assert.ok(service.log.includes("POST /oauth/token authorization_code"));
    });
  },
});

Deno.test({
  name: "alisio connect stores nothing when a person gives up",
  ignore: !HAS_TERMINAL,
  fn: async () => {
    await withAcme(async (cli) => {
      const person = new Person(cli.start(["connect", "acme", "--sign-in", "device"], IN_TERMINAL));
      await person.sees(/Code: ACME-1234/);
      await person.type("\x03");
      const { status, stdout } = await person.run.ended;
      assert.equal(status, 130, stdout);
      await assert.rejects(Deno.stat(join(cli.configHome, "providers.json")));
    });
  },
});
