import assert from "node:assert/strict";
import { join } from "node:path";
import { BUILTIN_PLUGINS } from "../../../cli/open_application.ts";
import acme from "../../../examples/plugins/custom-sign-in/acme_account.ts";
import { ConnectCancelledError } from "../../../core/provider/connect_asker.ts";
import { connectProvider } from "../../../core/provider/connect_flow.ts";
import { offerProvider } from "../../../tui/connect/offer_provider.ts";
import { PanelAsker } from "../../../tui/connect/panel_asker.ts";
import { withAccountService } from "../../support/account_service.ts";
import { KEYS } from "../../support/fake_stage.ts";
import { type CommandScene, withCommands } from "../commands/_command_scene.ts";

const KEY = "key-of-the-test-0000";

/** A server that lists models for whoever has the key. */
async function withServer(
  fn: (address: string) => Promise<void>,
  models: readonly object[] = [{ id: "alpha", context_window: 9_000 }, { id: "beta" }],
): Promise<void> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    if (new URL(request.url).pathname !== "/v1/models") return new Response("", { status: 404 });
    return request.headers.get("authorization") === `Bearer ${KEY}`
      ? Response.json({ data: models })
      : Response.json({ error: { message: "wrong key" } }, { status: 401 });
  });
  try {
    await fn(`http://127.0.0.1:${server.addr.port}/v1`);
  } finally {
    await server.shutdown();
  }
}

function profilesFile(profiles: object, active?: object): Readonly<Record<string, string>> {
  const content = { schemaVersion: 1, ...(active === undefined ? {} : { active }), profiles };
  const credentials = { work: { apiKey: KEY } };
  return {
    "config/providers.json": JSON.stringify(content),
    "config/credentials.json": JSON.stringify({ schemaVersion: 1, credentials }),
  };
}

function localProfile(baseURL: string): object {
  return { provider: "openai-compatible", values: { baseURL } };
}

async function readSaved({ folder }: CommandScene): Promise<Record<string, unknown>> {
  return JSON.parse(await Deno.readTextFile(join(folder, "config", "providers.json")));
}

/** Waits until the panel that is shown says something. */
async function sees({ stage }: CommandScene, pattern: RegExp): Promise<void> {
  for (;;) {
    const screen = await stage.screen(80);
    if (pattern.test(screen)) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const paste = (text: string): string => `\x1b[200~${text}\x1b[201~`;
const erase = "\x15";

Deno.test("/connect fills a form, lists models, asks for the window and begins a new session", async () => {
  await withServer(async (address) =>
    await withCommands({ plugins: BUILTIN_PLUGINS }, async (scene) => {
      const { stage, type, screens } = scene;
      const run = type("/connect openai-compatible");
      assert.equal(
        await screens(),
        `OpenAI compatible
› Base URL                     https://api.openai.com/v1
  API key                      none
  API key environment variable OPENAI_API_KEY
  API mode                     chat
  Authentication               bearer
  Token parameter              max_tokens
  Stream usage                 false
  Keep reasoning               false
  Text tool calls              false
Include /v1 if the server needs it.
Enter next · Ctrl+S submit · Esc cancel · Tab moves
========================================
OpenAI compatible
› Base URL           https://api.openai…
  API key            none
  API key environme… OPENAI_API_KEY
  API mode           chat
  Authentication     bearer
  Token parameter    max_tokens
  Stream usage       false
  Keep reasoning     false
  Text tool calls    false
Include /v1 if the server needs it.
Enter next · Ctrl+S submit · Esc cancel
`,
      );
      await stage.press("n", "o", "t", " ", "a", "n", KEYS.enter);
      await sees(scene, /Base URL must be an address such as https:\/\/api\.example\.com\/v1/);
      await stage.press(erase, paste(` "${address}/chat/completions"\n`), KEYS.enter);
      await stage.press(paste(`Bearer ${KEY}`));
      assert.doesNotMatch(await stage.screen(80), new RegExp(KEY));
      await stage.press("\x13");
      await sees(scene, /Which model\?/);
      assert.equal(
        await screens(),
        `Which model? (1/3)
› alpha           9000 tokens
  beta
  Another model…
Enter choose · Esc close · type to search
========================================
Which model? (1/3)
› alpha           9000 tokens
  beta
  Another model…
Enter choose · Esc close
`,
      );
      await stage.press(KEYS.down, KEYS.enter);
      await sees(scene, /Context window in tokens/);
      await stage.press(..."12x", KEYS.enter);
      await sees(scene, /must be a number of tokens, such as 128000 or 128k/);
      await stage.press(erase, ..."128k", KEYS.enter);
      await run;
      const profile = `local-${new URL(address).port}`;
      assert.deepEqual(await readSaved(scene), {
        schemaVersion: 1,
        active: { profile, model: "beta" },
        profiles: {
          [profile]: {
            provider: "openai-compatible",
            values: { baseURL: address, contextWindow: 128_000 },
          },
        },
      });
      assert.deepEqual(stage.log, [
        "switch to a new session",
        `success: New sessions use ${profile}/beta`,
      ]);
    })
  );
});

Deno.test("connectProvider() asks for no form where a server of this machine was found", async () => {
  const models = [{ id: "alpha", context_window: 9_000 }, { id: "beta" }];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => Response.json({ data: models }),
  );
  const { port } = server.addr;
  try {
    await withCommands({ plugins: BUILTIN_PLUGINS }, async (scene) => {
      const { stage } = scene;
      const connected = connectProvider({
        desk: await stage.application.connectDesk(),
        asker: new PanelAsker(stage),
        say: (text) => stage.say(text),
        hasBrowser: false,
        signal: new AbortController().signal,
        localPorts: [[port, "Ollama"]],
      }, { values: {} });
      await sees(scene, /› Ollama on this machine +http:\/\/127\.0\.0\.1:\d+\/v1, 2 models/);
      await stage.press(KEYS.enter);
      await sees(scene, /^Which model\?/);
      await stage.press(KEYS.enter);
      const profile = `local-${port}`;
      const baseURL = `http://127.0.0.1:${port}/v1`;
      assert.deepEqual(await connected, {
        profile,
        provider: "openai-compatible",
        model: "alpha",
        baseURL,
      });
      assert.deepEqual(await readSaved(scene), {
        schemaVersion: 1,
        active: { profile, model: "alpha" },
        profiles: { [profile]: localProfile(baseURL) },
      });
    });
  } finally {
    await server.shutdown();
  }
});

Deno.test("connectProvider() shows the form where a server that was found answers no more", async () => {
  let isGone = false;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => isGone ? new Response("", { status: 500 }) : Response.json({ data: [{ id: "alpha" }] }),
  );
  const { port } = server.addr;
  try {
    await withCommands({ plugins: BUILTIN_PLUGINS }, async (scene) => {
      const { stage } = scene;
      const connected = connectProvider({
        desk: await stage.application.connectDesk(),
        asker: new PanelAsker(stage),
        say: (text) => stage.say(text),
        hasBrowser: false,
        signal: new AbortController().signal,
        localPorts: [[port, "Ollama"]],
      }, { values: {} });
      const rejected = assert.rejects(connected, ConnectCancelledError);
      await sees(scene, /› Ollama on this machine/);
      isGone = true;
      await stage.press(KEYS.enter);
      await sees(scene, /Its models are not known/);
      await stage.press(KEYS.enter);
      await sees(scene, /› Base URL +http:\/\/127\.0\.0\.1/);
      await stage.press(KEYS.escape);
      await rejected;
    });
  } finally {
    await server.shutdown();
  }
});

Deno.test("/connect comes back to the form where the server says no, and stores nothing on Esc", async () => {
  await withServer(async (address) =>
    await withCommands({ plugins: BUILTIN_PLUGINS }, async (scene) => {
      const { stage, type } = scene;
      const run = type("/connect openai-compatible");
      await sees(scene, /Base URL/);
      await stage.press(paste(address), ...Array(9).fill(KEYS.enter));
      await sees(scene, /Its models are not known/);
      await stage.press(KEYS.enter);
      await sees(scene, /› Base URL +http:\/\/127\.0\.0\.1/);
      await stage.press(KEYS.escape);
      await run;
      assert.deepEqual(stage.log, ["info: Nothing was connected"]);
      await assert.rejects(readSaved(scene));
    })
  );
});

Deno.test("/connect shows the steps of a sign-in, and Esc ends it", async () => {
  await withAccountService(async (service) => {
    const option = { service: service.address };
    const config = { pluginOverrides: { "acme.account": { options: option } } };
    await withCommands({
      plugins: [{ id: "acme.account", isNeeded: true, load: () => Promise.resolve(acme) }],
      files: { "config/config.json": JSON.stringify(config) },
    }, async (scene) => {
      const { stage, type, screens } = scene;
      const given = type("/connect acme");
      await sees(scene, /How do you sign in\?/);
      await stage.press(KEYS.down, KEYS.enter);
      await sees(scene, /ACME-1234/);
      const address = `${service.address}/device`;
      assert.equal(
        await screens(),
        `Acme: Acme account, with a code
${address}
Code: ACME-1234
Approve the access in your browser.
Waiting for you
Esc gives up · c copies the address
========================================
Acme: Acme account, with a code
${address}
Code: ACME-1234
Approve the access in your browser.
Waiting for you
Esc gives up · c copies the address
`,
      );
      await stage.press("c");
      await stage.press(KEYS.escape);
      await given;
      assert.deepEqual(stage.log, [
        `copy: ${address}`,
        "success: Copied (test)",
        "info: Nothing was connected",
      ]);
      service.approve();
      const run = type("/connect acme");
      await sees(scene, /How do you sign in\?/);
      await stage.press(KEYS.down, KEYS.enter);
      await sees(scene, /Which model\?[\s\S]*acme-large/);
      await stage.press(KEYS.enter);
      await run;
      assert.equal(stage.log.at(-1), "success: New sessions use acme/acme-large");
      const { sessions } = JSON.parse(
        await Deno.readTextFile(join(scene.folder, "config", "credentials.json")),
      );
      assert.equal(sessions.acme.credential.access, service.tokens[0]);
    });
  });
});

Deno.test("/model lists what healthy servers offer, and what is wrong with the others", async () => {
  await withServer(async (address) =>
    await withCommands({
      plugins: BUILTIN_PLUGINS,
      files: profilesFile({
        work: localProfile(address),
        away: localProfile("http://127.0.0.1:9/v1"),
        gone: { provider: "acme.gone", values: {} },
      }, { profile: "work", model: "alpha" }),
    }, async (scene) => {
      const { stage, type, screens } = scene;
      const first = type("/models");
      await sees(scene, /Model of new sessions/);
      assert.equal(
        await screens(),
        `Model of new sessions (1/5)
OpenAI compatible (work)
› * alpha           9000 tokens
    beta
    Another model…
OpenAI compatible (away)
    Another model…  Its models are not known: Cannot reach the model server at …
acme.gone (gone)
    Another model…  Its models are not known: its plugin is not loaded


Enter choose · Esc close · type to search
========================================
Model of new sessions (1/5)
OpenAI compatible (work)
› * alpha           9000 tokens
    beta
    Another model…
OpenAI compatible (away)
    Another model…  Its models are not …
acme.gone (gone)
    Another model…  Its models are not …


Enter choose · Esc close
`,
      );
      await stage.press(KEYS.enter);
      await first;
      assert.deepEqual(stage.log.splice(0), ["info: work/alpha is the active model already"]);
      const second = type("/model");
      await sees(scene, /Model of new sessions/);
      await stage.press(..."beta", KEYS.enter);
      await second;
      assert.deepEqual(stage.log.splice(0), [
        "switch to a new session",
        "success: New sessions use work/beta",
      ]);
      assert.deepEqual((await readSaved(scene))["active"], { profile: "work", model: "beta" });
      await type("/model alpha");
      assert.equal(stage.log.splice(0).at(-1), "success: New sessions use work/alpha");
      await type("/model work/other");
      assert.equal(stage.log.splice(0).at(-1), "success: New sessions use work/other");
      await type("/model alpah");
      assert.match(stage.log.splice(0).join(), /^error: Cannot find model "alpah".*mean "alpha"/);
    })
  );
});

Deno.test("/model says what is stronger than the choice", async () => {
  await withServer(async (address) =>
    await withCommands({
      plugins: BUILTIN_PLUGINS,
      baseUrl: "http://127.0.0.1:9/v1",
      model: "m",
      files: profilesFile({ work: localProfile(address) }),
    }, async ({ stage, type }) => {
      await type("/model work/alpha");
      assert.deepEqual(stage.log, [
        "switch to a new session",
        'reopen {"model":"work/alpha"}',
        'warning: "work/alpha" is saved, but here flags, the environment or the project\'s ' +
        "configuration choose another model",
      ]);
    })
  );
});

Deno.test("/model asks no server without its key, and says what is missing", async () => {
  const values = { baseURL: "https://far.example/v1", apiKeyEnv: "UNSET_KEY" };
  await withCommands({
    plugins: BUILTIN_PLUGINS,
    files: profilesFile({ far: { provider: "openai-compatible", values } }),
  }, async (scene) => {
    const { stage, type } = scene;
    const run = type("/model");
    await sees(scene, /Its models are not known: the variable "UNSET_KEY" is/);
    await stage.press(KEYS.escape);
    await run;
    await type("/model far/big");
    assert.deepEqual(stage.log, [
      "switch to a new session",
      'reopen {"model":"far/big"}',
      "warning: far/big is saved, but cannot be used yet; alisio doctor says why",
    ]);
  });
});

Deno.test("/model and /connect explain what they cannot do", async () => {
  await withCommands({ plugins: BUILTIN_PLUGINS }, async ({ stage, type }) => {
    await type("/model");
    assert.deepEqual(stage.log.splice(0), [
      "warning: No provider is connected; /connect connects one",
    ]);
    await type("/connect nope");
    assert.match(stage.log.splice(0).join(), /^error: There is no provider "nope"/);
  });
  await withCommands({ plugins: BUILTIN_PLUGINS, readOnly: true }, async ({ stage, type }) => {
    for (const line of ["/model", "/connect"]) {
      await type(line);
      assert.match(stage.log.splice(0).join(), /^error: .*use alisio connect in a shell/);
    }
  });
});

Deno.test("offerProvider() welcomes whoever has no provider, and lets them go", async () => {
  await withCommands({ plugins: BUILTIN_PLUGINS }, async (scene) => {
    const { stage } = scene;
    assert.equal(await stage.application.needsProvider(), true);
    const offered = offerProvider(stage);
    await sees(scene, /Which provider\?[\s\S]*OpenAI compatible/);
    await stage.press(KEYS.escape);
    await offered;
    assert.match(stage.log[0] ?? "", /^info: Welcome\. Alisio needs a model/);
    assert.match(stage.log.at(-1) ?? "", /\/connect begins anew/);
    stage.log.splice(0);
    stage.text = "what I had begun";
    await offerProvider(stage);
    assert.deepEqual(stage.log.slice(1), ["info: /connect begins"]);
  });
});

const CONFIGURED: readonly (readonly [string, Parameters<typeof withCommands>[0]])[] = [
  ["a profile", { files: profilesFile({ work: localProfile("http://127.0.0.1:9/v1") }) }],
  ["a configured model", { files: { "config/config.json": '{"provider":{"model":"m"}}' } }],
  ["a flag for the model", { model: "m" }],
  ["a flag for the address", { baseUrl: "http://127.0.0.1:9/v1" }],
];

for (const [name, options] of CONFIGURED) {
  Deno.test(`Application.needsProvider() is false with ${name}`, async () => {
    await withCommands({ plugins: BUILTIN_PLUGINS, ...options }, async ({ stage }) => {
      assert.equal(await stage.application.needsProvider(), false);
    });
  });
}
