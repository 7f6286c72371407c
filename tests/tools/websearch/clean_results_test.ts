import assert from "node:assert/strict";
import { cleanResults } from "../../../tools/websearch/clean_results.ts";

/** What becomes of one page. */
async function clean(
  page: { readonly title?: string; readonly url?: string; readonly snippet?: string },
): Promise<readonly unknown[]> {
  const given = { title: "t", url: "https://a.example/", snippet: "s", ...page };
  return await cleanResults([given]);
}

Deno.test("cleanResults() makes texts of markup and of characters that are written by name", async () => {
  for (
    const [given, wanted] of [
      ["plain words", "plain words"],
      ["a &amp; b &lt;c&gt; &#39;d&#x27; &quot;e&quot;", "a & b <c> 'd' \"e\""],
      ["<b>bold</b> and <i class='x'>more</i>", "bold and more"],
      ["one<br>two", "one two"],
      ["How to use the <div> element", "How to use the <div> element"],
      ["if a < b && b > c", "if a < b && b > c"],
      ["x <script>alert('1')</script>y<style>p{}</style>z", "x yz"],
      ["<b>never closed &amp;", "never closed &"],
      ["  many \n\t spaces\u00a0here ", "many spaces here"],
      ["<p>1</p><p>2</p>", "1 2"],
    ] as const
  ) {
    assert.deepEqual(await clean({ title: given, snippet: given }), [
      { title: wanted, url: "https://a.example/", snippet: wanted },
    ]);
  }
});

Deno.test("cleanResults() takes out what cannot be seen and shows control characters", async () => {
  const [result] = await clean({
    title: "in\u202evoice\u200b.exe \u{e0041}tag",
    snippet: "bell\x07 esc\x1b[31m &#27;[2J &#8238;x</b>",
  });
  assert.deepEqual(result, {
    title: "invoice.exe tag",
    url: "https://a.example/",
    snippet: "bell\\x07 esc\\x1b[31m \\x1b[2J x",
  });
});

Deno.test("cleanResults() keeps addresses of the web alone, each page once and ten at most", async () => {
  for (
    const url of [
      "javascript:alert(1)",
      "data:text/html,x",
      "file:///etc/passwd",
      "ftp://a.example/",
      "//a.example",
      "a.example",
      "",
      `https://a.example/${"x".repeat(3_000)}`,
    ]
  ) assert.deepEqual(await clean({ url }), [], url);
  const page = (url: string) => ({ title: url, url, snippet: "" });
  const once = await cleanResults([
    page("https://a.example/x"),
    page("https://A.example/x/"),
    page("http://a.example/x#part"),
    page("https://a.example/x?q=1"),
  ]);
  assert.deepEqual(once.map(({ url }) => url), ["https://a.example/x", "https://a.example/x?q=1"]);
  const many = await cleanResults(
    Array.from({ length: 500 }, (_, index) => page(`https://a.example/${index}`)),
  );
  assert.equal(many.length, 10);
  assert.equal(many[9]?.url, "https://a.example/9");
});

Deno.test("cleanResults() shows no user and password of an address", async () => {
  const [result] = await clean({ url: "https://ada:word@a.example/x" });
  assert.deepEqual(result, { title: "t", url: "https://a.example/x", snippet: "s" });
});

Deno.test("cleanResults() bounds texts and names a page without a title after its server", async () => {
  const [result] = await clean({ title: " <b></b>", snippet: "é".repeat(900) });
  assert.deepEqual(result, {
    title: "a.example",
    url: "https://a.example/",
    snippet: `${"é".repeat(500)}…`,
  });
  const [long] = await clean({ title: "&amp;".repeat(100_000) });
  assert.deepEqual((long as { title: string }).title, `${"&".repeat(200)}…`);
});
