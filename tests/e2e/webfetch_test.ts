import assert from "node:assert/strict";
import { join } from "node:path";
import { shown, withCli } from "../support/cli_harness.ts";
import { callTurn, startModel, toolResults } from "../support/scripted_model.ts";
import { startSite } from "../tools/web/_site.ts";
import { useModel } from "./_support.ts";

const PARAGRAPH = `<p>${"The river runs past the old mill and on to the sea. ".repeat(12)}</p>`;

Deno.test("alisio run --allow-external reads a page behind the second wall, and its rest from a file", async () => {
  await using site = await startSite((request, response) => {
    if (request.url === "/start") response.writeHead(302, { location: "/long" }).end();
    else {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(`<title>Río</title><h1>Mill</h1>${PARAGRAPH.repeat(60)}<p>THE END</p>`);
    }
  });
  await using model = await startModel([
    callTurn(["webfetch", JSON.stringify({ url: `${site.origin}/start` })]),
    (request) => {
      const [result = ""] = toolResults(request);
      const path = String(JSON.parse(result).fullTextPath);
      return callTurn(["search_text", JSON.stringify({ path, pattern: "THE END" })]);
    },
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model, { webfetch: { allowedHosts: [`127.0.0.1:${site.port}`] } });
    const run = await cli.run(["run", "x", "--json", "--allow-external"]);
    assert.equal(run.status, 0, shown(run));
    const [result = ""] = toolResults(await model.chat(1));
    const page = JSON.parse(result);
    assert.equal(page.title, "Río", result);
    assert.equal(page.url, `${site.origin}/long`);
    assert.deepEqual(page.redirects, [{ status: 302, url: `${site.origin}/long` }]);
    assert.equal(page.truncated, true);
    assert.ok(page.content.length > 19_000 && page.content.length <= 20_000);
    const stored = await Deno.readTextFile(join(cli.workspace, page.fullTextPath));
    assert.equal(stored.length, page.characters);
    assert.match(toolResults(await model.chat(2)).join("\n"), /THE END/);
    assert.deepEqual(site.requests, ["GET /start", "GET /long"]);
  });
});

Deno.test("alisio run reaches no private address, and offers webfetch to nobody without --allow-external", async () => {
  await using site = await startSite((_request, response) => response.end("secret"));
  await using model = await startModel([
    callTurn(["webfetch", JSON.stringify({ url: site.origin })]),
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model);
    const run = await cli.run(["run", "x", "--json", "--allow-external"]);
    assert.equal(run.status, 0, shown(run));
    const [refused = ""] = toolResults(await model.chat(1));
    assert.match(refused, /loopback address.*webfetch\.allowedHosts/);
    const silent = await cli.run(["run", "x", "--json"]);
    assert.equal(silent.status, 0, shown(silent));
    assert.doesNotMatch(JSON.stringify((await model.chat(2)).json), /"webfetch"/);
    assert.deepEqual(site.requests, []);
  });
});
