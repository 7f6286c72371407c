import assert from "node:assert/strict";
import type { RunEvent } from "@alisio/sdk";
import { withScene } from "../support/application_scene.ts";
import { calls, PlayedProvider, says } from "../support/run_harness.ts";
import { pluginSource, registerTool } from "./plugins/_plugin_files.ts";

const TERMINAL = { color: false, unicode: true, columns: 80, interactive: true };

Deno.test("A mascot that fails is replaced, and the next run tells of it", async () => {
  const mascot = `api.extensions.register("mascot", {
    id: "m", render() { throw new Error("no wind"); },
  });`;
  await withScene({ "p.js": pluginSource("acme.one", mascot) }, async ({ folder, open }) => {
    const notices: string[] = [];
    const application = await open({
      plugin: [`${folder}/p.js`],
      provider: new PlayedProvider([says("done")]),
      model: "m",
      onNotice: (notice) => void notices.push(notice),
    });
    const lines = await application.startupScreen({ cwd: "~", terminal: TERMINAL, tips: [] });
    assert.match(lines[0] ?? "", /─╮ {3}Alisio \d/);
    assert.ok(lines.some((line) => /Model +m$/.test(line)), lines.join("\n"));
    assert.ok(lines.some((line) => /Plugins {2}acme\.one 0\.1\.0$/.test(line)), lines.join("\n"));
    assert.deepEqual(notices, [
      'Plugin "acme.one" failed in mascot, and the run goes on: no wind',
    ]);
    const events: RunEvent[] = [];
    const session = await application.createSession();
    await session.run("hi", {
      signal: new AbortController().signal,
      observers: [(event) => void events.push({ ...event, data: { ...event.data } })],
    });
    const told = events.filter(({ type }) => type === "plugin_hook_failed");
    assert.deepEqual(told.map(({ data }) => data), [
      { source: "acme.one", hook: "mascot", error: "no wind", continued: true },
    ]);
  });
});

Deno.test("A prompt that is stopped while a plugin begins the session ends as cancelled", async () => {
  const hook = `api.session.onStart(({ signal }) => new Promise((_, fail) => {
    signal.addEventListener("abort", () => fail(signal.reason));
    globalThis.dispatchEvent(new Event("acme.began"));
  }));`;
  await withScene({ "p.js": pluginSource("acme.one", hook) }, async ({ folder, open }) => {
    const notices: string[] = [];
    const application = await open({
      plugin: [`${folder}/p.js`],
      provider: new PlayedProvider([says("done")]),
      model: "m",
      onNotice: (notice) => void notices.push(notice),
    });
    const session = await application.createSession();
    const stop = new AbortController();
    globalThis.addEventListener("acme.began", () => stop.abort(new Error("left")), { once: true });
    const types: string[] = [];
    const run = session.run("hi", {
      signal: stop.signal,
      observers: [({ type }) => void types.push(type)],
    });
    await assert.rejects(run, { name: "RunCancelledError" });
    assert.deepEqual([types.at(-1), notices], ["run_cancelled", []]);
  });
});

Deno.test("While a plugin asks the person, the time of a run stands still", async () => {
  const setup = registerTool(
    "pick",
    `await api.ui.select({ title: "Which?", options: [{ value: "n", label: "North" }] })`,
  );
  await withScene({ "p.js": pluginSource("acme.one", setup) }, async ({ folder, open }) => {
    const asked: string[] = [];
    const application = await open({
      plugin: [`${folder}/p.js`],
      provider: new PlayedProvider([calls([["p_fe23c7961e_pick", {}]]), says("done")]),
      model: "m",
      ask: async ([question], { plugin }) => {
        asked.push(`${plugin}: ${question?.question}`);
        await new Promise((resolve) => setTimeout(resolve, 900));
        return [{ header: "", skipped: false, selected: ["North"] }];
      },
    });
    const session = await application.createSession();
    const results: unknown[] = [];
    const { activeMs } = await session.run("hi", {
      signal: new AbortController().signal,
      limits: { timeoutMs: 600 },
      observers: [({ type, data }) => {
        if (type === "tool_completed") results.push(data.preview);
      }],
    });
    assert.deepEqual([asked, results], [["acme.one: Which?"], ["n"]]);
    assert.ok(activeMs < 600, `${activeMs}`);
  });
});
