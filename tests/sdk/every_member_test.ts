import assert from "node:assert/strict";
import {
  type DecisionProvider,
  definePlugin,
  type EmbeddingProvider,
  type JsonValue,
  type MascotProvider,
  type PluginAppConnectMessage,
  type PluginAppErrorCode,
  type PluginAppHostMessage,
  type PluginAppRequestMessage,
  type PluginSemantic,
  type SearchProvider,
  type SessionStatus,
  type StartupScreenProvider,
  textResult,
  UI_BLOCK_KINDS,
  type UiBlock,
  type VectorStoreProvider,
  ViewParamsError,
} from "@alisio/sdk";
import { setUpPlugin, textOf } from "@alisio/sdk/testing";

const BLOCKS: Readonly<Record<UiBlock["kind"], UiBlock>> = {
  table: { kind: "table", columns: ["a"], rows: [["1"]], caption: "c" },
  "key-value": { kind: "key-value", entries: [{ key: "a", value: "1" }] },
  tree: { kind: "tree", nodes: [{ label: "a", meta: "m", children: [{ label: "b" }] }] },
  code: { kind: "code", code: "x", lang: "ts" },
  markdown: { kind: "markdown", text: "*x*" },
  diff: { kind: "diff", before: "a", after: "b", path: "x.ts" },
  terminal: { kind: "terminal", output: "x", command: "ls", exitCode: 0, durationMs: 1 },
  mermaid: { kind: "mermaid", source: "graph TD", title: "t" },
  math: { kind: "math", latex: "x^2", display: true },
  json: { kind: "json", value: { a: 1 }, collapsedDepth: 1 },
  "test-results": {
    kind: "test-results",
    framework: "deno",
    suites: [{ name: "math", cases: [{ name: "adds", status: "passed" }] }],
  },
  progress: { kind: "progress", steps: [{ label: "a", status: "running" }] },
};

const STATUSES: readonly SessionStatus[] = [
  "queued",
  "running",
  "completed",
  "failed",
  "cancelled",
  "interrupted",
];

const mascot: MascotProvider = {
  id: "kite",
  render: ({ terminal }) => terminal.unicode ? "◇" : "<>",
};

const screen: StartupScreenProvider = {
  id: "kite.compact",
  render: (context) => [
    ...[context.mascot.render({ terminal: context.terminal, version: context.version })].flat(),
    `${context.model ?? "no model"} ${context.plugins.length}`,
    ...context.tips.slice(0, 1),
  ],
};

const search: SearchProvider = {
  id: "own",
  search: (query) => Promise.resolve([{ title: query, url: "https://example.com", snippet: "" }]),
};

const decisions: DecisionProvider = {
  id: "acme.always",
  name: "Always yes",
  capabilities: ["boolean"],
  decide: ({ decisions }) =>
    Promise.resolve(Object.fromEntries(
      Object.keys(decisions).map((key) => [key, { kind: "boolean", value: true, confidence: 1 }]),
    )),
};

const embedding: EmbeddingProvider = {
  id: "acme.embed",
  name: "Lengths",
  modelId: () => "lengths-1",
  dimensions: () => 1,
  embed: (texts) => Promise.resolve(texts.map(({ length }) => new Float32Array([length]))),
};

const store: VectorStoreProvider = {
  id: "acme.store",
  name: "Nothing",
  collections: () => Promise.resolve([]),
  create: () => Promise.resolve(),
  upsert: () => Promise.resolve(),
  query: () => Promise.resolve([{ id: "n1", score: 0.5 }]),
  drop: () => Promise.resolve(),
};

const plugin = definePlugin({
  id: "acme.everything",
  name: "Everything",
  description: "Uses what there is",
  version: "0.1.0-beta.1",
  apiVersion: 1,
  categories: ["tools", "search"],
  extensions: { mascot },
  setup(api) {
    api.tools.register({
      name: "blocks",
      description: "Answers every kind of block",
      effect: "read",
      concurrent: true,
      inputSchema: { type: "object", properties: {}, additionalProperties: false },
      execute: async (_input, context) => {
        context.emit({ percent: 50 });
        const matches = await context.semantic?.trySearch("notes", "tea", { topK: 5 });
        const decided = await context.decisions?.tryDecide({
          version: 1,
          id: "acme.tea",
          state: "It is late",
          decisions: { tea: { kind: "boolean", question: "Tea?" } },
        });
        return {
          content: [
            { type: "text", text: JSON.stringify([matches ?? null, decided ?? null]) },
            ...Object.values(BLOCKS).map((block) => ({ type: "ui", block }) as const),
          ],
        };
      },
    });
    api.commands.register("where", (_args, context) => Promise.resolve(context?.sessionId ?? ""), {
      description: "Says where",
      argumentHint: "<nothing>",
    });
    api.events.on(({ type }) => api.ui.status("last", type, "The last event"));
    api.context.register(() => Promise.resolve(`Device ${String(api.options?.device ?? "cpu")}`));
    api.resources.skills("./skills");
    api.resources.prompts("./prompts");
    api.resources.agents("./agents");
    api.state.set("folders", api.resources.list("skills").length);
    api.compaction.register({
      beforeCompact: () => Promise.resolve({ outputFields: { notes: "short strings" } }),
      afterCompact: ({ extracted }) =>
        Promise.resolve({ report: { summary: `notes: ${Object.keys(extracted).length}` } }),
    });
    api.session.onStart((info) => Promise.resolve(`Notes for ${info.workspace}`));
    api.extensions.register("startup-screen", screen, { priority: 10 });
    api.extensions.register("websearch", search);
    api.views?.register({
      id: "recent",
      description: "Recent notes",
      params: { type: "object", properties: { limit: { type: "integer", default: 20 } } },
      handler(params) {
        if (params.limit === 13) throw new ViewParamsError("13 is no limit");
        return { items: [], limit: params.limit ?? 0 };
      },
    });
    api.apps?.register({
      id: "notes",
      label: { en: "Notes", es: "Notas" },
      html: () => "<p>Notes",
      actions: {
        save: {
          effect: "write",
          inputSchema: { type: "object", properties: { text: { type: "string" } } },
          handler: (input, context) => ({ session: context.sessionId, text: input.text ?? null }),
        },
      },
      busy: () => false,
      dispose: () => {},
    });
    api.proof?.registerVerifier({
      id: "links",
      describe: "Checks links",
      async run(_input, context) {
        const { callId, result } = await context.callTool("read_file", { path: "README.md" });
        return { ok: result.isError !== true, outputHash: "0".repeat(64), callId };
      },
    });
    api.decisions?.registerProvider(decisions);
    api.semantic?.registerEmbedding(embedding);
    api.semantic?.registerStore(store);
    api.tools.register({
      name: "second_opinion",
      description: "Asks a child session",
      effect: "external",
      concurrent: true,
      inputSchema: { type: "object", properties: { path: { type: "string" } } },
      async execute({ path }, { session, signal }) {
        if (session === undefined || api.sessions === undefined) return textResult("none", true);
        const child = api.sessions.spawn({
          parentId: session,
          title: `Review ${path}`,
          agent: "reviewer",
          tools: { allow: ["read_file"] },
          readOnly: true,
          maxTurns: 10,
        });
        const result = await api.sessions.run(child.id, `Review ${path}`, { signal });
        return textResult(result.text, result.status !== STATUSES[2]);
      },
    });
  },
});

Deno.test("A plugin that uses every member is set up where the optional ones are missing", async () => {
  await using host = await setUpPlugin(plugin);
  assert.deepEqual(host.resources, [
    { plugin: "acme.everything", kind: "skills", path: "./skills" },
    { plugin: "acme.everything", kind: "prompts", path: "./prompts" },
    { plugin: "acme.everything", kind: "agents", path: "./agents" },
  ]);
  assert.deepEqual(host.state, { folders: 1 });
  const result = await host.callTool("blocks");
  assert.equal(textOf(result), "[null,null]");
  const kinds = result.content.flatMap((part) => part.type === "ui" ? [part.block.kind] : []);
  assert.deepEqual(kinds, UI_BLOCK_KINDS);
  assert.equal(new Set(UI_BLOCK_KINDS).size, 12);
  assert.equal((await host.callTool("second_opinion", {}, { session: "s" })).isError, true);
});

Deno.test("A plugin that uses every member finds the optional ones of a host that has them", async () => {
  const registered: string[] = [];
  const note = (name: string) => ({ id }: { readonly id: string }) => {
    registered.push(`${name} ${id}`);
    return () => {};
  };
  const semantic: PluginSemantic = {
    available: () => true,
    index: () => Promise.resolve(),
    search: () => Promise.resolve([]),
    trySearch: () => Promise.resolve([{ id: "n1", score: 1, metadata: { kind: "note" } }]),
    collections: () => Promise.resolve(["notes"]),
    drop: () => Promise.resolve(),
    registerEmbedding: note("embedding"),
    registerStore: note("store"),
    activate: () => Promise.resolve("needs_confirmation"),
  };
  await using host = await setUpPlugin(plugin, {
    members: {
      semantic,
      views: { register: note("view") },
      apps: { register: note("app") },
      proof: { registerVerifier: note("verifier") },
      decisions: {
        registerProvider: note("decisions"),
        available: () => true,
        activeProvider: () => "acme.always",
        tryDecide: () => Promise.resolve(null),
      },
    },
  });
  assert.deepEqual(registered, [
    "view recent",
    "app notes",
    "verifier links",
    "decisions acme.always",
    "embedding acme.embed",
    "store acme.store",
  ]);
  const signal = new AbortController().signal;
  const answers = await decisions.decide({
    version: 1,
    id: "acme.tea",
    state: "",
    decisions: { tea: { kind: "boolean", question: "Tea?" } },
  }, { signal, timeoutMs: 100 });
  const result = await host.callTool("blocks", {}, {
    semantic,
    decisions: { tryDecide: () => Promise.resolve(answers) },
  });
  assert.deepEqual(JSON.parse(textOf(result)), [
    [{ id: "n1", score: 1, metadata: { kind: "note" } }],
    { tea: { kind: "boolean", value: true, confidence: 1 } },
  ]);
});

/** A page, as far as it speaks with its host. */
function answer(
  message: PluginAppConnectMessage | PluginAppHostMessage,
): PluginAppRequestMessage | JsonValue {
  switch (message.type) {
    case "alisio.app.connect":
      return { type: "request", id: "1", action: "save", input: { locale: message.locale } };
    case "response":
      return "error" in message ? errorText(message.error) : message.result;
    case "locale":
      return message.locale;
    case "visibility":
      return message.visible;
  }
}

function errorText(code: PluginAppErrorCode): string {
  return code === "not_permitted" ? "Switch writing on" : code;
}

Deno.test("A page knows every message of its host by its type", () => {
  assert.deepEqual(answer({ type: "alisio.app.connect", locale: "es", visible: true }), {
    type: "request",
    id: "1",
    action: "save",
    input: { locale: "es" },
  });
  assert.equal(
    answer({ type: "response", id: "1", error: "not_permitted", effect: "write" }),
    "Switch writing on",
  );
  assert.equal(answer({ type: "response", id: "1", result: 7 }), 7);
  assert.equal(answer({ type: "visibility", visible: false }), false);
});

Deno.test("ViewParamsError names itself", () => {
  const error = new ViewParamsError("wrong");
  assert.ok(error instanceof Error);
  assert.equal(String(error), "ViewParamsError: wrong");
});
