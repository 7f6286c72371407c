import assert from "node:assert/strict";
import { type ConvertedPage, convertPage } from "../../../tools/web/convert_page.ts";

const SENTENCE = "The river runs past the old mill and on to the sea, as it did before. ";
const PARAGRAPH = `<p>${SENTENCE.repeat(8)}</p>`;

function convert(html: string, format: "markdown" | "text" = "markdown"): ConvertedPage {
  return convertPage({ html, url: "https://example.com/docs/page", format });
}

Deno.test("convertPage() keeps code verbatim in a fence that is long enough (field case 140)", () => {
  const code = "if (a < b && c > d) {\n  print(`x`); // <b>no tag</b>\n\n\n```\nfence\n```\n}";
  const escaped = code.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const { content } = convert(
    `<style>p{color:red}</style><script>evil("s")</script><template><p>t</p></template>` +
      `<noscript>n</noscript><p>Before</p><pre><code class="language-ts">${escaped}\n</code></pre>` +
      `<p>After</p><pre>one<br>two</pre>`,
  );
  assert.equal(
    content,
    `Before\n\n\`\`\`\`ts\n${code}\n\`\`\`\`\n\nAfter\n\n\`\`\`\none\ntwo\n\`\`\``,
  );
});

Deno.test("convertPage() makes tables of data, and plain blocks of tables for layout (field case 140)", () => {
  const { content } = convert(`
    <table><caption>Prices</caption>
      <thead><tr><th>Name</th><th>Price | tax</th></tr></thead>
      <tbody><tr><td>Tea<br>green</td><td><a href="tea">2_3</a></td></tr>
      <tr><td colspan="2">none</td></tr></tbody>
    </table>
    <table role="presentation"><tr><td>Menu</td><td>Main</td></tr><tr><td>a</td><td>b</td></tr></table>
    <table><tr><td><table><tr><td><table>
      <tr><td>deep</td><td>a*b_c</td></tr><tr><td>1</td><td>2</td></tr>
    </table></td><td>side</td></tr><tr><td>x</td><td>y</td></tr></table></td></tr></table>`);
  assert.equal(
    content,
    [
      "Prices",
      "",
      "| Name | Price \\| tax |",
      "| --- | --- |",
      "| Tea green | [2\\_3](https://example.com/docs/tea) |",
      "| none |  |",
      "",
      "Menu",
      "",
      "Main",
      "",
      "a",
      "",
      "b",
      "",
      "| deep | a\\*b\\_c |",
      "| --- | --- |",
      "| 1 | 2 |",
      "",
      "side",
      "",
      "x",
      "",
      "y",
    ].join("\n"),
  );
});

Deno.test("convertPage() leaves out what a page hides, and says how much", () => {
  const hidden = [
    "<p hidden>SECRET 1</p>",
    '<div style="color:red; display : none">SECRET 2</div>',
    '<span style="visibility:hidden">SECRET 3</span>',
    '<span style="font-size:0">SECRET 4</span>',
    '<span style="opacity:0;">SECRET 5</span>',
    '<i aria-hidden="true">SECRET 6</i>',
    "<dialog>SECRET 7</dialog>",
  ];
  const seen = '<p style="opacity:0.5">shown</p><p style="font-size:0.9em">also</p>';
  const unseen = '<!-- SECRET 8 --><svg><title>SECRET 9</title></svg><meta content="SECRET">';
  for (const format of ["markdown", "text"] as const) {
    const { content, notes } = convert(
      `<body style="opacity:0"><p>visible</p>${hidden.join("")}${seen}${unseen}`,
      format,
    );
    assert.doesNotMatch(content, /SECRET/);
    assert.match(content, /visible\s+shown\s+also/);
    assert.deepEqual(notes, ["Hidden elements with text were left out: 7"]);
  }
});

Deno.test("convertPage() makes links absolute and drops those that run code", () => {
  const { content } = convert(
    `<base href="/base/"><p><a href="a b(1)">rel</a> <a href="//other.org/x">other</a>
     <a href="javascript:alert(1)">js</a> <a href=" JAVA&#10;SCRIPT:alert(1)">js2</a>
     <a href="data:text/html,x">data</a> <a href="#top">top</a> <a href="mailto:a@b.c">mail</a>
     <img src="i.png" alt="An [image]"><img src="data:image/png;base64,xx" alt="inline"></p>`,
  );
  assert.equal(
    content,
    "[rel](https://example.com/base/a%20b%281%29) [other](https://other.org/x) js js2 data top " +
      "[mail](mailto:a@b.c) ![An \\[image\\]](https://example.com/base/i.png)[image: inline]",
  );
});

Deno.test("convertPage() answers the article of a page, unless too much would be lost", () => {
  const menu = `<nav><ul>${'<li><a href="/x">Menu entry</a>'.repeat(30)}</ul></nav>`;
  const article = convert(
    `<title>A  title</title>${menu}<main><h1>Mill</h1>${
      PARAGRAPH.repeat(6)
    }</main><footer>F</footer>`,
  );
  assert.equal(article.part, "article");
  assert.equal(article.title, "A title");
  assert.doesNotMatch(article.content, /Menu entry/);
  const aside = convert(
    `<div class="sidebar">${PARAGRAPH.repeat(12)}</div><article>${PARAGRAPH.repeat(2)}</article>`,
  );
  assert.equal(aside.part, "page");
  assert.equal(aside.content.match(/^The river/gm)?.length, 14);
  const text = convert(`${menu}<main>${PARAGRAPH.repeat(6)}</main>`, "text");
  assert.equal(text.part, "page");
  assert.match(text.content, /^- Menu entry$/m);
});

Deno.test("convertPage() names a meta refresh and does not lose the page", () => {
  for (const content of ["0; url=/next", "0;URL='/next'", "5, /next"]) {
    const { notes } = convert(`<meta http-equiv="Refresh" content="${content}"><p>x</p>`);
    assert.match(notes.join(), /go on to "https:\/\/example\.com\/next".*not followed/, content);
  }
});

Deno.test("convertPage() refuses what is too deep or too large for its stack and time", () => {
  const unknown = Array.from({ length: 2_000 }, (_, index) => `<x-${index}>a`).join("");
  assert.throws(() => convert(unknown), /nested too deeply/);
  assert.throws(() => convert("<br>".repeat(100_001)), /too many elements/);
  assert.throws(() => convert("<div>".repeat(50_000)), /too long|too deeply/);
});

Deno.test("convertPage() takes an empty page and broken markup", () => {
  assert.deepEqual(convert(""), { title: "", content: "", part: "page", notes: [] });
  assert.equal(convert("<p>a<table><b>b</table></i></p").content.replaceAll(/\s+/g, " "), "a**b**");
  assert.equal(
    convert("<ul><li>one<li>two<ol><li>three</ul>").content.match(/- |1\. /g)?.length,
    3,
  );
});

Deno.test("convertPage() writes lists with no more space than they need", () => {
  const { content } = convert(
    "<ol start=9><li>one<ul><li>a</li><li>b<pre>x\n\ny</pre></li></ul></li><li>two</li></ol>",
  );
  assert.equal(
    content,
    "9. one\n   - a\n   - b\n\n     ```\n     x\n\n     y\n     ```\n10. two",
  );
});
