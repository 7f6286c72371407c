import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import type { ProviderAuthMethod } from "@alisio/sdk";
import { AlisioError } from "../../../core/errors.ts";
import { type ConfigLayer, mergeConfig } from "../../../core/config/merge_config.ts";
import type { Credential } from "../../../core/provider/credentials.ts";
import type { ProviderProfiles } from "../../../core/provider/profiles.ts";
import {
  planProvider,
  type ProviderFacts,
  type SelectedProvider,
  selectProvider,
} from "../../../core/provider/select_provider.ts";

interface Setting {
  readonly baseURL?: string;
  readonly apiKeyEnv?: string;
  readonly model?: string;
  readonly apiMode?: string;
  readonly auth?: string;
  readonly contextWindow?: number;
}

interface Setup {
  readonly global?: Setting;
  readonly project?: Setting;
  readonly explicit?: Setting;
  readonly environment?: Setting;
  readonly flags?: Setting;
  readonly profiles?: ProviderProfiles;
  readonly credentials?: Readonly<Record<string, Credential>>;
  readonly sessions?: ProviderFacts["sessions"];
  readonly env?: Readonly<Record<string, string>>;
}

const OPENAI = "https://api.openai.com/v1";
const WORK: ProviderProfiles = {
  active: { profile: "work", model: "w" },
  profiles: {
    work: {
      provider: "openai-compatible",
      values: { baseURL: "https://w.example/v1", apiKeyEnv: "W_KEY", contextWindow: "9000" },
    },
    other: { provider: "acme.cloud", values: {} },
  },
};
const KEYS = { OPENAI_API_KEY: "openai", W_KEY: "w", G_KEY: "g", P_KEY: "p", ACME_KEY: "acme" };

/** Name, setup, then: registration, model, address, key, source. */
type Row = readonly [string, Setup, readonly (string | undefined)[]];

const PRECEDENCE: readonly Row[] = [
  [
    "a flag for the address over the active profile",
    { profiles: WORK, flags: { baseURL: "https://f.example/v1", model: "f" } },
    ["openai-compatible", "f", "https://f.example/v1", "openai", "flags"],
  ],
  [
    "a flag for the protocol over the active profile",
    { profiles: WORK, flags: { apiMode: "responses" }, global: { model: "g" } },
    ["openai-compatible", "g", OPENAI, "openai", "global"],
  ],
  [
    "OPENAI_BASE_URL over the active profile",
    { profiles: WORK, environment: { baseURL: "https://e.example/v1", model: "e" } },
    ["openai-compatible", "e", "https://e.example/v1", "openai", "environment"],
  ],
  [
    "a project that names a model over the active profile",
    { profiles: WORK, project: { model: "p" } },
    ["openai-compatible", "p", OPENAI, "openai", "project"],
  ],
  [
    "an explicit file that names a model over the active profile",
    { profiles: WORK, explicit: { model: "x", baseURL: "https://x.example/v1" } },
    ["openai-compatible", "x", "https://x.example/v1", "openai", "explicit"],
  ],
  [
    "the active profile over a project without a model",
    { profiles: WORK, project: { baseURL: "https://evil.example/v1" } },
    ["openai-compatible", "w", "https://w.example/v1", "w", "profile"],
  ],
  [
    "the active profile over a project with the placeholder",
    { profiles: WORK, project: { model: "YOUR_MODEL_ID" } },
    ["openai-compatible", "w", "https://w.example/v1", "w", "profile"],
  ],
  [
    "the active profile over the global configuration",
    { profiles: WORK, global: { model: "g", baseURL: "https://g.example/v1" } },
    ["openai-compatible", "w", "https://w.example/v1", "w", "profile"],
  ],
  [
    "the active profile with the model of a flag",
    { profiles: WORK, flags: { model: "org/m" } },
    ["openai-compatible", "org/m", "https://w.example/v1", "w", "flags"],
  ],
  [
    "the active profile with ALISIO_MODEL",
    { profiles: WORK, environment: { model: "e" } },
    ["openai-compatible", "e", "https://w.example/v1", "w", "environment"],
  ],
  [
    "the active profile's own model past a placeholder in ALISIO_MODEL",
    { profiles: WORK, environment: { model: "YOUR_MODEL_ID" } },
    ["openai-compatible", "w", "https://w.example/v1", "w", "environment"],
  ],
  [
    "the profile that a canonical reference names",
    { profiles: WORK, flags: { model: "other/m/1" } },
    ["acme.cloud", "m/1", undefined, "acme", "flags"],
  ],
  [
    "the global configuration when no profile is saved",
    { global: { model: "g", baseURL: "https://g.example/v1", apiKeyEnv: "G_KEY" } },
    ["openai-compatible", "g", "https://g.example/v1", "g", "global"],
  ],
  [
    "OPENAI_API_KEY and ALISIO_MODEL alone",
    { environment: { model: "e" } },
    ["openai-compatible", "e", OPENAI, "openai", "environment"],
  ],
  [
    "a script over everything else",
    {
      profiles: WORK,
      project: { model: "p" },
      flags: { model: "scripted/demo/a.json", baseURL: "https://f.example/v1" },
    },
    ["scripted", "scripted/demo/a.json", undefined, undefined, "flags"],
  ],
  [
    "a script where nothing else is configured",
    { environment: { model: "scripted/a.json" } },
    ["scripted", "scripted/a.json", undefined, undefined, "environment"],
  ],
];

for (const [name, setup, expected] of PRECEDENCE) {
  Deno.test(`selectProvider() takes ${name}`, () => {
    const selected = selectProvider(factsOf({ env: KEYS, ...setup }));
    deepEqual(summaryOf(selected), expected);
  });
}

const GLOBAL_GATEWAY = { baseURL: "https://g.example/v1", apiKeyEnv: "G_KEY", model: "g" };

const BOUND_KEYS: readonly Row[] = [
  [
    "a project that leads to the default server",
    { project: { model: "p", baseURL: `${OPENAI}/` } },
    ["openai-compatible", "p", OPENAI, "openai", "project"],
  ],
  [
    "a project that leads to the server of the person's own configuration",
    { global: GLOBAL_GATEWAY, project: { model: "p", baseURL: "https://g.example/v2" } },
    ["openai-compatible", "p", "https://g.example/v2", "g", "project"],
  ],
  [
    "a trusted project that names its own variable",
    { project: { model: "p", baseURL: "https://p.example/v1", apiKeyEnv: "P_KEY" } },
    ["openai-compatible", "p", "https://p.example/v1", "p", "project"],
  ],
  [
    "a flag that leads to the same server as the configuration",
    { global: GLOBAL_GATEWAY, flags: { baseURL: "https://g.example/v9" } },
    ["openai-compatible", "g", "https://g.example/v9", "g", "flags"],
  ],
  [
    "a flag that leads elsewhere: the key of the configuration stays behind",
    { global: GLOBAL_GATEWAY, flags: { baseURL: "https://f.example/v1" } },
    ["openai-compatible", "g", "https://f.example/v1", "openai", "flags"],
  ],
  [
    "an address of the environment and a variable of a file without address",
    {
      global: { apiKeyEnv: "G_KEY", model: "g" },
      environment: { baseURL: "https://e.example/v1" },
    },
    ["openai-compatible", "g", "https://e.example/v1", "g", "environment"],
  ],
  [
    "another port of the same machine is another server",
    {
      global: { baseURL: "http://127.0.0.1:1/v1", apiKeyEnv: "G_KEY", model: "g" },
      project: { model: "p", baseURL: "http://127.0.0.1:2/v1" },
    },
    ["openai-compatible", "p", "http://127.0.0.1:2/v1", undefined, "project"],
  ],
];

for (const [name, setup, expected] of BOUND_KEYS) {
  Deno.test(`selectProvider() binds keys to addresses: ${name} (field case 109)`, () => {
    const selected = selectProvider(factsOf({ env: KEYS, ...setup }));
    deepEqual(summaryOf(selected), expected);
  });
}

const REDIRECTS: readonly (readonly [string, Setup])[] = [
  ["alone", { project: { model: "p", baseURL: "https://evil.example/v1" } }],
  [
    "over the person's own gateway",
    { global: GLOBAL_GATEWAY, project: { model: "p", baseURL: "https://evil.example/v1" } },
  ],
  [
    "with a host that looks like the default one",
    { project: { model: "p", baseURL: "https://api.openai.com.evil.example/v1" } },
  ],
  ["without encryption", { project: { model: "p", baseURL: "http://api.openai.com/v1" } }],
  ["on another port", { project: { model: "p", baseURL: "https://api.openai.com:8443/v1" } }],
];

for (const [name, setup] of REDIRECTS) {
  Deno.test(`selectProvider() sends no key where only a project leads, ${name} (field case 109)`, () => {
    const facts = factsOf({ env: KEYS, ...setup });
    deepEqual(planProvider(facts).credentials, {});
    equal(planProvider(facts).key.status, "withheld");
    throws(() => selectProvider(facts), {
      code: "provider_not_configured",
      message: /the project names this address but no key, .* name "provider\.apiKeyEnv" in "\/w\//,
    });
  });
}

Deno.test("selectProvider() shows where a project leads and which key goes there (field case 109)", () => {
  const project = { model: "p", baseURL: "https://p.example/v1?key=sentinel", apiKeyEnv: "P_KEY" };
  const selected = selectProvider(factsOf({ env: KEYS, project }));
  deepEqual(selected.notices, [
    'Project file "/w/.alisio/config.json" sends requests to "https://p.example/v1" with the key in "P_KEY"',
  ]);
  equal(selected.baseURL, "https://p.example/v1");
  const local = { model: "p", baseURL: "http://localhost:1/v1" };
  match(selectProvider(factsOf({ project: local })).notices[0] ?? "", /without a key$/);
  deepEqual(selectProvider(factsOf({ env: KEYS, project: { model: "p" } })).notices, []);
});

const KEY_RULES: readonly (readonly [string, Setup, string, string | undefined])[] = [
  ["a variable that is not set", { global: { model: "g" } }, "missing", undefined],
  [
    "an empty variable",
    { global: { model: "g" }, env: { OPENAI_API_KEY: "" } },
    "missing",
    undefined,
  ],
  ["auth none", { global: { model: "g", auth: "none" }, env: KEYS }, "not_needed", undefined],
  [
    "no key for this machine",
    { flags: { model: "m", baseURL: "http://127.0.0.1:11434/v1" } },
    "not_needed",
    undefined,
  ],
  [
    "a key for this machine",
    { flags: { model: "m", baseURL: "http://127.0.0.1:11434/v1" }, env: KEYS },
    "set",
    "openai",
  ],
  [
    "no key for a machine that only looks near",
    { flags: { model: "m", baseURL: "http://127.0.0.1.example.com/v1" } },
    "missing",
    undefined,
  ],
  [
    "a stored credential over the variable",
    { profiles: WORK, credentials: { work: { apiKey: "stored" } }, env: KEYS },
    "stored",
    "stored",
  ],
  ["the variable of the profile", { profiles: WORK, env: KEYS }, "set", "w"],
  [
    "not the plugin's variable where the profile records one",
    { profiles: WORK, env: { OPENAI_API_KEY: "openai" } },
    "missing",
    undefined,
  ],
  [
    "the plugin's variable where the profile records none",
    { profiles: { ...WORK, active: { profile: "other", model: "o" } }, env: KEYS },
    "set",
    "acme",
  ],
  [
    "the credential of another profile is not used",
    { profiles: WORK, credentials: { other: { apiKey: "stored" } } },
    "missing",
    undefined,
  ],
  [
    "a stored credential is not used for an address of a flag",
    {
      profiles: WORK,
      credentials: { work: { apiKey: "stored" } },
      flags: { baseURL: "https://f.example/v1", model: "f" },
    },
    "missing",
    undefined,
  ],
];

for (const [name, setup, status, apiKey] of KEY_RULES) {
  Deno.test(`planProvider() looks up the key: ${name}`, () => {
    const facts = factsOf(setup);
    const planned = planProvider(facts);
    deepEqual([planned.key.status, planned.credentials["apiKey"]], [status, apiKey]);
    if (status === "missing") throws(() => selectProvider(facts), /is not set; set it to the key/);
    else selectProvider(facts);
  });
}

const ACCOUNT: ProviderAuthMethod = {
  id: "device",
  label: "Account",
  kind: "oauth",
  start: () => Promise.reject(new Error("nobody is here")),
};
const SIGNED: ProviderProfiles = {
  active: { profile: "work", model: "w" },
  profiles: { work: { provider: "acme.account", values: {} } },
};

Deno.test("selectProvider() takes a session for a key, and no session of another provider", () => {
  const session = { provider: "acme.account", method: "device" };
  const signedIn = selectProvider(factsOf({ profiles: SIGNED, sessions: { work: session } }));
  deepEqual([signedIn.key, signedIn.credentials], [{ status: "signed_in" }, {}]);
  const others = [
    {},
    { home: session },
    { work: { ...session, provider: "acme.cloud" } },
  ];
  for (const sessions of others) {
    throws(() => selectProvider(factsOf({ profiles: SIGNED, sessions })), {
      code: "provider_not_configured",
      message: 'Cannot use profile "work": nobody is signed in; ' +
        "run alisio connect acme.account --profile work --sign-in device",
    });
  }
});

Deno.test("selectProvider() names the variable that is not set, before any request", () => {
  throws(() => selectProvider(factsOf({ global: { ...GLOBAL_GATEWAY } })), {
    code: "provider_not_configured",
    message:
      'Cannot use the provider at "https://g.example/v1": the variable "G_KEY" is not set; set it to the key, or set "auth" to "none" if the server needs none',
  });
});

Deno.test("selectProvider() omits the header on this machine when there is no key", () => {
  const flags = { model: "m", baseURL: "http://127.0.0.1:1/v1" };
  equal(selectProvider(factsOf({ flags })).profileValues["auth"], "none");
  equal(selectProvider(factsOf({ flags, env: KEYS })).profileValues["auth"], "bearer");
});

const MISSING: readonly (readonly [string, Setup, RegExp])[] = [
  [
    "nothing",
    {},
    /^Cannot choose a model: no provider is configured; do one of these:\n {2}1\. Connect/,
  ],
  ["a key alone", { env: KEYS }, /no provider is configured/],
  [
    "the placeholder",
    { global: { model: "YOUR_MODEL_ID", baseURL: "https://g.example/v1" }, env: KEYS },
    /^Cannot choose a model of the provider at "https:\/\/g\.example\/v1": the model is still the placeholder "YOUR_MODEL_ID"; pass --model ID/,
  ],
  [
    "an address alone",
    { flags: { baseURL: "http://127.0.0.1:1/v1" } },
    /none is configured; pass --model ID, set ALISIO_MODEL, or set "provider\.model" in "\/c\/config\.json"$/,
  ],
  [
    "profiles of which none is active",
    { profiles: { profiles: WORK.profiles }, global: { model: "g" }, env: KEYS },
    /no provider profile is active; run alisio connect, or pass --model PROFILE\/MODEL with one of the profiles "work", "other"$/,
  ],
  [
    "a profile of a plugin that is not loaded",
    {
      profiles: {
        active: { profile: "a", model: "m" },
        profiles: { a: { provider: "gone.cloud", values: {} } },
      },
    },
    /^Cannot use provider profile "a": its provider "gone\.cloud" belongs to a plugin/,
  ],
];

for (const [name, setup, message] of MISSING) {
  Deno.test(`selectProvider() says what to do about ${name}`, () => {
    throws(() => selectProvider(factsOf(setup)), (error: unknown) => {
      ok(error instanceof AlisioError);
      equal(error.code, "provider_not_configured");
      match(error.message, message);
      return true;
    });
  });
}

Deno.test("selectProvider() names all three ways to configure a provider", () => {
  throws(() => selectProvider(factsOf({})), (error: Error) => {
    for (
      const part of [
        "alisio run --base-url https://api.openai.com/v1 --model MODEL",
        "set OPENAI_API_KEY and ALISIO_MODEL, and OPENAI_BASE_URL",
        "alisio setup",
        '"/c/config.json"',
      ]
    ) ok(error.message.includes(part), part);
    return true;
  });
});

Deno.test("selectProvider() resolves the path of a script against the working directory", () => {
  const relative = selectProvider(factsOf({ flags: { model: "scripted/demo/a.json" } }));
  deepEqual(relative.profileValues, { script: "/work/demo/a.json" });
  const absolute = selectProvider(factsOf({ flags: { model: "scripted//tmp/a.json" } }));
  deepEqual(absolute.profileValues, { script: "/tmp/a.json" });
  // A session is gone on with from any directory.
  equal(relative.reference, "scripted//work/demo/a.json");
  equal(absolute.reference, "scripted//tmp/a.json");
});

const WINDOWS: readonly (readonly [string, Setup, SelectedProvider["contextWindow"]])[] = [
  [
    "the configured model",
    { global: { model: "g", contextWindow: 5 } },
    { tokens: 5, source: "configuration" },
  ],
  [
    "another model than the configured one",
    { global: { model: "g", contextWindow: 5 }, flags: { model: "f" } },
    undefined,
  ],
  ["the active model", { profiles: WORK }, { tokens: 9000, source: "profile" }],
  ["another model of the profile", { profiles: WORK, flags: { model: "x" } }, undefined],
  [
    "a model that is both configured and active",
    { profiles: WORK, global: { model: "w", contextWindow: 5 } },
    { tokens: 5, source: "configuration" },
  ],
];

for (const [name, setup, expected] of WINDOWS) {
  Deno.test(`selectProvider() applies a declared context window to ${name}`, () => {
    deepEqual(selectProvider(factsOf({ env: KEYS, ...setup })).contextWindow, expected);
  });
}

function factsOf(setup: Setup): ProviderFacts {
  const layers: readonly (ConfigLayer | undefined)[] = [
    layerOf({ layer: "global", file: "/c/config.json" }, setup.global),
    layerOf({ layer: "project", file: "/w/.alisio/config.json" }, setup.project),
    layerOf({ layer: "explicit", file: "/x.json" }, setup.explicit),
    layerOf({ layer: "environment" }, setup.environment),
    layerOf({ layer: "flags" }, setup.flags),
  ];
  const present = layers.filter((layer) => layer !== undefined);
  return {
    loaded: { ...mergeConfig(present), layers: present },
    profiles: setup.profiles ?? { profiles: {} },
    credentials: setup.credentials ?? {},
    sessions: setup.sessions ?? {},
    env: setup.env ?? {},
    registration: (id) =>
      id === "openai-compatible"
        ? { defaultApiKeyEnv: "OPENAI_API_KEY" }
        : id === "acme.cloud"
        ? { defaultApiKeyEnv: "ACME_KEY" }
        : id === "acme.account"
        ? { auth: [ACCOUNT] }
        : undefined,
    cwd: "/work",
    configFile: "/c/config.json",
  };
}

function layerOf(source: ConfigLayer["source"], provider?: Setting): ConfigLayer | undefined {
  return provider === undefined ? undefined : { source, values: { provider } };
}

function summaryOf(selected: SelectedProvider): readonly (string | undefined)[] {
  const { registrationId, model, baseURL, credentials, source } = selected;
  return [registrationId, model, baseURL, credentials["apiKey"], source];
}
