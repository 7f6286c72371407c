import assert from "node:assert/strict";
import { convertFeed, convertHtml } from "../../../tools/web/convert_html.ts";

const URL_TEXT = "https://example.com/";
const never = () => new AbortController().signal;

/** Pages that are hard, each with a text at its end that must not be lost. */
const HARD_PAGES: readonly (readonly [string, string])[] = [
  ["deep", `${"<div>".repeat(50_000)}THE END`],
  ["unknown and unclosed", `${name(2_000, (index) => `<x-${index}>a `)}THE END`],
  ["formatting that is never closed", `${name(20_000, (i) => `<p><font size=${i}>a`)}THE END`],
  ["one giant table", `<table>${"<tr><td>one<td>two".repeat(60_000)}</table>THE END`],
  ["attributes", `<p ${name(200_000, (index) => `a${index}=1 `)}>THE END`],
];

function name(count: number, part: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => part(index)).join("");
}

Deno.test("convertHtml() turns hard pages into plain text with a note, and keeps nothing waiting (field case 139)", async () => {
  for (const [title, html] of HARD_PAGES) {
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    const page = await convertHtml({ html, url: URL_TEXT, format: "markdown" }, never());
    clearInterval(timer);
    assert.match(page.content, /THE END$/, title);
    assert.match(page.notes.join(), /could not be converted .*plain text/, title);
    assert.ok(turns > 3, `${title}: ${turns}`);
  }
});

Deno.test("convertHtml() converts a page on its thread", async () => {
  const page = await convertHtml(
    { html: "<title>T</title><h2>Head</h2><p>Text", url: URL_TEXT, format: "markdown" },
    never(),
  );
  assert.deepEqual(page, { title: "T", content: "## Head\n\nText", part: "page", notes: [] });
});

Deno.test("convertHtml() ends when it is aborted, with the reason", async () => {
  const controller = new AbortController();
  const reason = new Error("stop");
  const running = convertHtml(
    { html: "<p>x", url: URL_TEXT, format: "text" },
    controller.signal,
  );
  controller.abort(reason);
  await assert.rejects(running, (error) => error === reason);
});

Deno.test("convertFeed() reads RSS, Atom and JSON Feed, and answers null for what is none", async () => {
  const rss = `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>
    <item><title>One [1]</title><link>/one</link><pubDate>Tue, 02 Jan 2024 03:04:05 GMT</pubDate>
    <description>&lt;p&gt;First &amp;amp; best&lt;/p&gt;&lt;script&gt;x()&lt;/script&gt;</description>
    </item></channel></rss>`;
  assert.deepEqual(await convertFeed(rss, URL_TEXT, never()), {
    title: "News",
    content: "## [One \\[1\\]](https://example.com/one)\n2024-01-02T03:04:05.000Z\nFirst & best",
  });
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title><entry><title>E</title>
    <link href="https://example.com/e"/><summary>S</summary></entry></feed>`;
  assert.match(
    (await convertFeed(atom, URL_TEXT, never()))?.content ?? "",
    /^## \[E\]\(.*\/e\)\nS$/,
  );
  const json = JSON.stringify({
    version: "https://jsonfeed.org/version/1.1",
    title: "J",
    items: [{ title: "E", url: "javascript:x()", content_text: "C" }, null, 3],
  });
  assert.deepEqual(await convertFeed(json, URL_TEXT, never()), { title: "J", content: "## E\nC" });
  for (const broken of ["", "{", "<html>", "[]", "{}", "<a>".repeat(5_000)]) {
    assert.equal(await convertFeed(broken, URL_TEXT, never()), null, broken.slice(0, 20));
  }
});
