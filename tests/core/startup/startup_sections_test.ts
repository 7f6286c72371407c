import assert from "node:assert/strict";
import type { StartupContext } from "@alisio/sdk";
import {
  composeSideBySide,
  DefaultAlisioMascot,
  DefaultStartupScreen,
  infoSection,
  mascotSection,
  pluginsSection,
  shortenPath,
  startupTips,
  tipsSection,
  titleSection,
  welcomeSection,
} from "../../../mod.ts";

const TERMINAL = { color: false, unicode: true, columns: 80, interactive: true };

const CONTEXT: StartupContext = {
  version: "1.2.3",
  cwd: "~/work",
  model: "m",
  provider: "api.example.com",
  userName: "Ada",
  terminal: TERMINAL,
  plugins: [
    { id: "openai-compatible", version: "1.2.3", builtin: true },
    { id: "acme.hello", version: "0.1.0", builtin: false },
  ],
  mascot: DefaultAlisioMascot,
  tips: ["one", "two"],
  facts: [{ label: "Permission", value: "ask" }],
};

Deno.test("Each section says its part", () => {
  assert.deepEqual(titleSection(CONTEXT), ["Alisio 1.2.3"]);
  assert.deepEqual(welcomeSection(CONTEXT), ["Welcome, Ada"]);
  assert.deepEqual(welcomeSection({}), ["Welcome"]);
  assert.deepEqual(infoSection(CONTEXT), [
    "Model       m",
    "Server      api.example.com",
    "Workspace   ~/work",
    "Permission  ask",
  ]);
  const { cwd, terminal } = CONTEXT;
  assert.deepEqual(infoSection({ cwd, terminal }), [
    "Model      none yet; alisio doctor says why",
    "Workspace  ~/work",
  ]);
  assert.deepEqual(pluginsSection(CONTEXT), ["Plugins  acme.hello 0.1.0"]);
  assert.deepEqual(pluginsSection({ plugins: [], terminal }), []);
  const many = Array.from(
    { length: 7 },
    (_, i) => ({ id: `p${i}`, version: "1.0.0", builtin: false }),
  );
  assert.match(pluginsSection({ plugins: many, terminal })[0] ?? "", /p4 1\.0\.0, 2 more$/);
  assert.deepEqual(tipsSection(CONTEXT), ["Tip: one", "Tip: two"]);
  assert.deepEqual(mascotSection({ ...CONTEXT, mascot: { id: "x", render: () => "<>" } }), ["<>"]);
});

Deno.test("composeSideBySide() joins what fits, whatever its colours, and stacks what does not", () => {
  const left = ["\x1b[31m風\x1b[0m", "ab"];
  assert.deepEqual(composeSideBySide(left, ["1", "2", "3"], { columns: 6 }), [
    "\x1b[31m風\x1b[0m   1",
    "ab   2",
    "     3",
  ]);
  assert.deepEqual(composeSideBySide(left, ["1", "2"], { columns: 5 }), [...left, "1", "2"]);
  assert.deepEqual(composeSideBySide(left, ["1"], { columns: 4, gap: 1 }), [
    "\x1b[31m風\x1b[0m 1",
    "ab",
  ]);
  assert.deepEqual(composeSideBySide([], ["1"], { columns: 80 }), ["1"]);
});

Deno.test("shortenPath() knows the home folder, and keeps the end of a long path", () => {
  const home = "/home/ada";
  assert.equal(shortenPath("/home/ada", { home }), "~");
  assert.equal(shortenPath("/home/ada/work", { home }), "~/work");
  assert.equal(shortenPath("/home/adam/work", { home }), "/home/adam/work");
  assert.equal(shortenPath("/srv/work"), "/srv/work");
  assert.equal(shortenPath("/srv/one/two/three", { maxChars: 12 }), "…/two/three");
  assert.equal(shortenPath(`/${"x".repeat(30)}`, { maxChars: 10 }), `…${"x".repeat(9)}`);
});

Deno.test("startupTips() gives the same advice for the same seed, and other advice for another", () => {
  assert.deepEqual(startupTips(5), startupTips(5));
  assert.notDeepEqual(startupTips(5), startupTips(6));
  assert.equal(new Set(startupTips(-3, 4)).size, 4);
  assert.deepEqual(startupTips(1, 0), []);
});

Deno.test("The default screen fits: side by side, one below the other, and in ASCII", () => {
  const draw = (terminal: Partial<typeof TERMINAL>) =>
    DefaultStartupScreen.render({ ...CONTEXT, terminal: { ...TERMINAL, ...terminal } });
  assert.match(draw({})[0] ?? "", /─╮ {3}Alisio 1\.2\.3$/);
  const narrow = draw({ columns: 42, unicode: false });
  assert.ok(narrow.every((line) => line.length <= 42 && /^[ -~]*$/.test(line)), narrow.join("\n"));
  assert.match(draw({ columns: 39 })[0] ?? "", /^∿─╮ alisio/);
  // deno-lint-ignore no-control-regex -- whether there is any colour
  const colours = /\x1b\[/;
  assert.match(draw({ color: true }).join(), colours);
  assert.doesNotMatch(draw({}).join(), colours);
});
