import assert from "node:assert/strict";
import { type Plugin, type PluginAPI, textResult, type ToolDefinition } from "@alisio/sdk";
import { AlisioError } from "../../../core/errors.ts";
import { PluginHost } from "../../../core/plugins/plugin_host.ts";

const TOOL: ToolDefinition = {
  name: "greet",
  description: "greets",
  inputSchema: { type: "object" },
  execute: () => Promise.resolve(textResult("hello")),
};

const PROVIDER = { id: "acme", name: "Acme", fields: [], create: () => assert.fail("It was used") };

interface HostScene {
  readonly host: PluginHost;
  /** What is registered at the moment. */
  readonly registered: Set<string>;
  /** What the person was told. */
  readonly notices: readonly string[];
}

function createHost(options: { readonly disposeTimeoutMs?: number } = {}): HostScene {
  const registered = new Set<string>();
  const notices: string[] = [];
  const add = (name: string) => {
    if (registered.has(name)) throw new TypeError(`Cannot register "${name}": the name is taken`);
    registered.add(name);
    return () => void registered.delete(name);
  };
  const host = new PluginHost({
    registerTool: (tool) => add(tool.name),
    registerProvider: ({ id }) => add(id),
    disposeTimeoutMs: options.disposeTimeoutMs ?? 60_000,
    onFailure: ({ notice }) => void notices.push(notice),
  });
  return { host, registered, notices };
}

function plugin(
  id: string,
  setup: (api: PluginAPI) => void | Promise<void> = () => {},
  dispose?: () => void | Promise<void>,
): Plugin {
  return {
    id,
    version: "0.1.0",
    apiVersion: 1,
    setup,
    ...(dispose === undefined ? {} : { dispose }),
  };
}

const isInvalid = (error: unknown) =>
  error instanceof AlisioError && error.code === "plugin_invalid";

Deno.test("PluginHost.add() registers what a plugin offers, until it is closed", async () => {
  const { host, registered } = createHost();
  const log: string[] = [];
  await host.add(plugin("acme.hello", (api) => {
    api.tools.register(TOOL);
    api.providers.register(PROVIDER);
  }, () => void log.push("disposed")));
  assert.deepEqual([...registered], ["greet", "acme"]);
  await host.close();
  assert.deepEqual([[...registered], log], [[], ["disposed"]]);
});

Deno.test("PluginHost.add() takes everything back of a plugin whose setup fails", async () => {
  const failing: readonly ((api: PluginAPI) => void | Promise<void>)[] = [
    (api) => {
      api.tools.register(TOOL);
      throw new Error("no licence");
    },
    async (api) => {
      api.tools.register(TOOL);
      await Promise.resolve();
      throw Object.create(null);
    },
    (api) => {
      api.tools.register(TOOL);
      api.tools.register(TOOL);
    },
  ];
  for (const setup of failing) {
    const { host, registered } = createHost();
    await assert.rejects(host.add(plugin("acme.hello", setup)), isInvalid);
    assert.deepEqual([...registered], []);
    await host.add(plugin("acme.hello", (api) => void api.tools.register(TOOL)));
    assert.deepEqual([...registered], ["greet"], "the id is free again");
  }
});

Deno.test("PluginHost.add() refuses ids that are malformed or taken", async () => {
  const rows: readonly (readonly [string, boolean])[] = [
    ["acme.hello", true],
    ["a", true],
    ["0-x", true],
    ["a".repeat(64), true],
    ["a".repeat(65), false],
    ["", false],
    ["Acme", false],
    [".acme", false],
    ["acme/hello", false],
    ["acme\n", false],
  ];
  for (const [id, isTaken] of rows) {
    const { host } = createHost();
    const adding = host.add(plugin(id));
    if (!isTaken) await assert.rejects(adding, isInvalid, id);
    else {
      await adding;
      await assert.rejects(host.add(plugin(id)), isInvalid, id);
    }
  }
});

Deno.test("PluginHost.add() lets one of two plugins have an id that both claim at once", async () => {
  const { host, registered } = createHost();
  const log: string[] = [];
  const claim = (name: string) =>
    plugin("acme.hello", async (api) => {
      await Promise.resolve();
      api.tools.register({ ...TOOL, name });
    }, () => void log.push(name));
  const outcomes = await Promise.allSettled([host.add(claim("first")), host.add(claim("second"))]);
  assert.deepEqual(outcomes.map(({ status }) => status), ["fulfilled", "rejected"]);
  assert.deepEqual([...registered], ["first"]);
  await host.close();
  assert.deepEqual([[...registered], log], [[], ["first"]], "nothing is left of either");
});

Deno.test("PluginHost.close() names each plugin that fails or hangs, and waits for none", async () => {
  const { host, registered, notices } = createHost({ disposeTimeoutMs: 10 });
  const disposals: readonly (() => void | Promise<void>)[] = [
    () => new Promise(() => {}),
    () => Promise.reject(new Error("cannot close")),
    () => {
      throw new Error("cannot close");
    },
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Error("too late");
    },
  ];
  for (const [index, dispose] of disposals.entries()) {
    const register = (api: PluginAPI) => void api.tools.register({ ...TOOL, name: `t${index}` });
    await host.add(plugin(`acme.${index}`, register, dispose));
  }
  await host.close();
  assert.deepEqual([...registered], []);
  assert.deepEqual(notices.toSorted(), [
    'Plugin "acme.0" failed in dispose: it did not end within 10 ms',
    'Plugin "acme.1" failed in dispose: cannot close',
    'Plugin "acme.2" failed in dispose: cannot close',
    'Plugin "acme.3" failed in dispose: it did not end within 10 ms',
  ]);
  // A late failure that nobody handles would end the program by now.
  await new Promise((resolve) => setTimeout(resolve, 30));
});

Deno.test("PluginHost.close() releases a plugin once", async () => {
  const { host } = createHost();
  let disposed = 0;
  await host.add(plugin("acme.hello", () => {}, () => void disposed++));
  await Promise.all([host.close(), host.close()]);
  await host.close();
  assert.equal(disposed, 1);
});

Deno.test("PluginHost.close() releases a plugin that is still being set up", async () => {
  const { host, registered } = createHost();
  const release = Promise.withResolvers<void>();
  const log: string[] = [];
  const adding = host.add(plugin("acme.slow", async (api) => {
    await release.promise;
    api.tools.register(TOOL);
  }, () => void log.push("disposed")));
  const refused = assert.rejects(adding, isInvalid);
  await host.close();
  release.resolve();
  await refused;
  assert.deepEqual([[...registered], log], [[], ["disposed"]]);
  await assert.rejects(host.add(plugin("acme.late")), isInvalid);
});
