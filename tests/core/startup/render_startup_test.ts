import assert from "node:assert/strict";
import type { ExtensionPoint, MascotProvider, StartupScreenProvider } from "@alisio/sdk";
import { ExtensionRegistry } from "../../../core/plugins/extension_registry.ts";
import { renderStartup } from "../../../core/startup/render_startup.ts";

const TERMINAL = { color: false, unicode: true, columns: 60, interactive: true };
const FACTS = { version: "1.2.3", cwd: "~/work", terminal: TERMINAL, plugins: [], tips: [] };

interface Offer {
  readonly mascot?: MascotProvider["render"] | undefined;
  readonly screen?: StartupScreenProvider["render"] | undefined;
}

function render({ mascot, screen }: Offer) {
  const registry = new ExtensionRegistry();
  if (mascot !== undefined) registry.register("mascot", "acme.m", { id: "m", render: mascot }, 0);
  if (screen !== undefined) {
    registry.register("startup-screen", "acme.s", { id: "s", render: screen }, 0);
  }
  const failures: string[] = [];
  const lines = renderStartup({
    ranked: <P extends ExtensionPoint>(point: P) => registry.ranked(point),
    failed: (plugin, hook, error) => void failures.push(`${plugin} ${hook} ${error}`),
  }, FACTS);
  return { lines, failures };
}

function slow(): never[] {
  const end = performance.now() + 300;
  while (performance.now() < end);
  return [];
}

Deno.test("renderStartup() draws Alisio's own screen where no plugin offers another", () => {
  const { lines, failures } = render({});
  assert.match(lines[0] ?? "", /─╮ {3}Alisio 1\.2\.3$/);
  assert.deepEqual(failures, []);
});

Deno.test("renderStartup() draws the mascot and the screen of plugins, cleaned and cut", () => {
  const { lines, failures } = render({
    mascot: () => ["\x1b[2J\x1b[31m<>~", "x".repeat(99)],
    screen: ({ mascot, terminal, version }) => [
      "\x1b]0;title\x07mine",
      ...[mascot.render({ terminal, version })].flat(),
    ],
  });
  assert.deepEqual([lines, failures], [["mine", "<>~", "x".repeat(60)], []]);
});

Deno.test("renderStartup() replaces what fails, is slow or draws nonsense, and says so once", () => {
  const bad: Readonly<Record<string, [() => unknown, RegExp]>> = {
    throws: [() => {
      throw new Error("no wind");
    }, /Error: no wind$/],
    nonsense: [() => ({}), /it drew no text and no list of texts$/],
    promise: [() => Promise.resolve(["x"]), /it drew no text and no list of texts$/],
    long: [() => Array(61).fill("x"), /it drew 61 lines or more; \d+ are allowed$/],
    slow: [slow, /it took \d+ ms to draw; 250 ms are allowed$/],
  };
  const { lines: expected } = render({});
  for (const [name, [draw, reason]] of Object.entries(bad)) {
    for (const part of ["mascot", "screen"] as const) {
      const { lines, failures } = render({ [part]: draw as never });
      assert.deepEqual(lines, expected, `${name} ${part}`);
      assert.equal(failures.length, 1, `${name} ${part}`);
      assert.match(failures[0] ?? "", reason);
    }
  }
  const twelve = render({ mascot: () => Array(12).fill("x") });
  assert.deepEqual([twelve.lines.length, twelve.failures], [12, []]);
  assert.equal(render({ mascot: () => Array(13).fill("x") }).failures.length, 1);
});

Deno.test("A mascot that failed is not asked again, however often a screen draws it", () => {
  let asked = 0;
  const { failures } = render({
    mascot: () => {
      asked++;
      throw new Error("no wind");
    },
    screen: ({ mascot, terminal, version }) =>
      [1, 2, 3].flatMap(() => [mascot.render({ terminal, version })].flat()),
  });
  assert.deepEqual([asked, failures.length], [1, 1]);
});
