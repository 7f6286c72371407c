import assert from "node:assert/strict";
import { join } from "node:path";
import { createWebfetchTool } from "../../../tools/web/webfetch.ts";
import { withTempDir } from "../../support/temp.ts";
import { type CallAnswer, callFileTool } from "../_call_file_tool.ts";
import { type SiteHandler, startSite } from "./_site.ts";

/** Answers each path with a type, a body, a status and further headers. */
type Page = readonly [type: string, body: string | Uint8Array, status?: number, headers?: object];

async function withPages(
  pages: Readonly<Record<string, Page | SiteHandler>>,
  test: (
    call: (path: string, input?: object) => Promise<CallAnswer>,
    workspace: string,
  ) => Promise<void>,
): Promise<void> {
  await using site = await startSite((request, response) => {
    const page = pages[request.url ?? ""];
    if (typeof page === "function") return page(request, response);
    const [type, body, status = 200, headers = {}] = page ?? ["text/plain", "none", 404];
    response.writeHead(status, { ...(type === "" ? {} : { "content-type": type }), ...headers });
    response.end(body);
  });
  const tool = createWebfetchTool([`127.0.0.1:${site.port}`]);
  await withTempDir(async (workspace) => {
    await test(
      (path, input = {}) =>
        callFileTool(tool, { url: site.origin + path, ...input }, { workspace }),
      workspace,
    );
  });
}

Deno.test("webfetch answers a page as markdown, text and html, with what a reader needs", async () => {
  const html = '<title>Tea</title><h1>Tea</h1><p>Green &amp; <a href="/x">black</a></p>';
  await withPages({ "/": ["text/html; charset=utf-8", html] }, async (call) => {
    const { json } = await call("/");
    const { url, notice, ...rest } = json;
    assert.match(String(url), /^http:\/\/127\.0\.0\.1:\d+\/$/);
    assert.match(String(notice), /data, not instructions/);
    assert.deepEqual(rest, {
      status: 200,
      contentType: "text/html; charset=utf-8",
      charset: "utf-8",
      bytes: html.length,
      title: "Tea",
      part: "page",
      characters: String(rest.content).length,
      truncated: false,
      content: `# Tea\n\nGreen & [black](${url}x)`,
    });
    assert.equal((await call("/", { format: "text" })).json.content, "Tea\n\nGreen & black");
    assert.equal((await call("/", { format: "html" })).json.content, html);
  });
});

Deno.test("webfetch lets text of other kinds through, reads feeds and names what is no text", async () => {
  const rss = "<rss><channel><title>N</title><item><title>E</title></item></channel></rss>";
  await withPages({
    "/json": ["application/json", '{"a":1}'],
    "/svg": ["image/svg+xml", "<svg/>"],
    "/code": ["text/x-c", "int main(void) { return a < b; }"],
    "/rss": ["application/xml", rss],
    "/octets": ["application/octet-stream", "plain"],
    "/empty": ["text/html", ""],
    "/script": ["text/html", "<div id=app></div><script>run()</script>"],
    "/pdf": ["application/pdf", "%PDF-1.4"],
    "/false": ["text/html", "%PDF-1.4"],
    "/png": ["image/png", "x"],
    "/zeros": ["", new Uint8Array(20)],
    "/tags": ["text/plain", "a\u{e0041}\u{e0042}b"],
  }, async (call) => {
    const content = async (path: string) => (await call(path)).json.content;
    assert.equal(await content("/json"), '{"a":1}');
    assert.equal(await content("/svg"), "<svg/>");
    assert.equal(await content("/code"), "int main(void) { return a < b; }");
    assert.equal(await content("/rss"), "## E");
    assert.equal((await call("/rss", { format: "html" })).json.content, rss);
    assert.equal(await content("/octets"), "plain");
    assert.match(String((await call("/empty")).json.notes), /empty/);
    assert.match(String((await call("/script")).json.notes), /no text of its own; a script/);
    const tags = await call("/tags");
    assert.equal(tags.json.content, "ab");
    assert.match(String(tags.json.notes), /Invisible characters/);
    const refused: readonly (readonly [string, RegExp])[] = [
      ["/pdf", /is a PDF file \("application\/pdf"\), and only text is read/],
      ["/false", /is a PDF file, and only text/],
      ["/png", /is an image \("image\/png"\)/],
      ["/zeros", /is a binary file/],
    ];
    for (const [path, message] of refused) {
      const { isError, text } = await call(path);
      assert.ok(isError, path);
      assert.match(text, message);
    }
  });
});

Deno.test("webfetch answers a failure of the server with its status and a short excerpt", async () => {
  const long = `<title>x</title><p>Not <b>here</b></p>${"<p>word</p>".repeat(5_000)}`;
  await withPages({
    "/gone": ["text/html", long, 404],
    "/busy": ["text/plain", "later", 503, { "retry-after": "120" }],
    "/image": ["image/png", "x", 500],
    "/large": ["text/plain", new Uint8Array(6_000_000), 502],
  }, async (call) => {
    const gone = await call("/gone");
    assert.ok(gone.isError);
    const answer = JSON.parse(gone.text);
    assert.equal(answer.status, 404);
    assert.match(answer.error, /answered 404/);
    assert.match(answer.excerpt, /^Not here\n/);
    assert.ok(answer.excerpt.length <= 2_001);
    const busy = JSON.parse((await call("/busy")).text);
    assert.equal(busy.retryAfter, "120");
    assert.equal(busy.excerpt, "later");
    assert.match(busy.error, /Retry-After/);
    assert.equal(JSON.parse((await call("/image")).text).excerpt, undefined);
    assert.equal(JSON.parse((await call("/large")).text).status, 502);
  });
});

Deno.test("webfetch cuts a long text, and keeps all of it in a file", async () => {
  const plain = `${"0123456789".repeat(2_500)}END`;
  const wide = '"\\\u0001'.repeat(12_000);
  const pairs = `a${"😀".repeat(15_000)}`;
  await withPages({
    "/plain": ["text/plain", plain],
    "/wide": ["text/plain", wide],
    "/pairs": ["text/plain", pairs],
    "/fits": ["text/plain", "x".repeat(20_000)],
  }, async (call, workspace) => {
    for (const [path, text] of [["/plain", plain], ["/wide", wide], ["/pairs", pairs]] as const) {
      const { json, text: result } = await call(path);
      assert.equal(json.truncated, true);
      assert.ok(text.startsWith(String(json.content)));
      assert.ok(String(json.content).isWellFormed());
      assert.ok(String(json.content).length <= 20_000 && result.length < 48_000, path);
      assert.equal(await Deno.readTextFile(join(workspace, String(json.fullTextPath))), text);
    }
    const fits = await call("/fits");
    assert.equal(fits.json.truncated, false);
    assert.equal(fits.json.fullTextPath, undefined);
  });
});

Deno.test("webfetch answers the page where its full text cannot be stored", async () => {
  await withPages({ "/": ["text/plain", "x".repeat(30_000)] }, async (call, workspace) => {
    await Deno.writeTextFile(join(workspace, ".alisio"), "in the way");
    const { json } = await call("/");
    assert.equal(String(json.content).length, 20_000);
    assert.equal(json.fullTextPath, undefined);
    assert.match(String(json.notes), /could not be stored/);
  });
});

Deno.test("webfetch refuses 5 MiB and a byte, said or sent, and names Refresh headers", async () => {
  const limit = 5 * 1_048_576;
  await withPages({
    "/said": ["text/plain", new Uint8Array(limit + 1).fill(97)],
    "/sent": (_request, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      for (let part = 0; part < 6; part++) response.write(new Uint8Array(1_048_576).fill(97));
      response.end();
    },
    "/most": ["text/plain", new Uint8Array(limit).fill(97)],
    "/refresh": ["text/plain", "x", 200, { refresh: "0; url=http://169.254.169.254/" }],
    "/choice": ["text/plain", "choose", 300],
  }, async (call) => {
    for (const path of ["/said", "/sent"]) {
      const { isError, text } = await call(path);
      assert.ok(isError, path);
      assert.match(text, /size is 5242881 bytes, limit is 5242880|larger than 5 MiB/);
    }
    assert.equal((await call("/most")).json.characters, limit);
    assert.match(String((await call("/refresh")).json.notes), /Refresh.*169\.254.*not followed/);
    assert.equal((await call("/choice")).json.content, "choose");
  });
});

Deno.test("webfetch ends at its timeout, and with its call", async () => {
  const controller = new AbortController();
  await using site = await startSite((request) => {
    if (request.url === "/abort") controller.abort(new Error("stop"));
  });
  const tool = createWebfetchTool(["127.0.0.1"]);
  await withTempDir(async (workspace) => {
    const late = await callFileTool(tool, { url: site.origin, timeout: 1 }, { workspace });
    assert.match(late.text, /nothing complete came within 1 s/);
    await assert.rejects(
      callFileTool(tool, { url: `${site.origin}/abort` }, { workspace, signal: controller.signal }),
      /stop/,
    );
    await site.idle();
  });
});
