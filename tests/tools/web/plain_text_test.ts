import assert from "node:assert/strict";
import { plainText } from "../../../tools/web/plain_text.ts";

Deno.test("plainText() answers the text of a page, a line for each block", () => {
  assert.equal(
    plainText(
      "<title>no</title><p>One &amp; <b>two</b>&eacute;&#33;</p><script>if (a<b) x('</p>')</script>" +
        "<style>p{}</style><ul><li>a<li>b</ul><!-- c --><table><tr><td>1<td>2</table>",
    ).replaceAll(/\s*\n\s*/g, "|"),
    "One & twoé!|a|b|1\t2",
  );
});

Deno.test("plainText() needs time that grows with the length alone", () => {
  const time = (count: number) => {
    const html = "<div>".repeat(count) + "</x>".repeat(count);
    const start = performance.now();
    plainText(html);
    return performance.now() - start;
  };
  time(50_000);
  // Eight times the length would take 64 times as long if it grew with the square.
  assert.ok(time(400_000) < 30 * Math.max(5, time(50_000)));
});

Deno.test("plainText() leaves out what an attribute hides, and nothing behind it", () => {
  const rows: readonly (readonly [html: string, text: string])[] = [
    ["a<div hidden>x<div>x</div>x</div>b", "a|b"],
    ['a<span style="color:red;display : none">x<b>x</b></span>b', "ab"],
    ["a<p style='visibility:hidden'>x<p>b", "a|b"],
    ['a<span aria-hidden="true">x</span>b<i aria-hidden=false>c</i>', "abc"],
    ['a<span style="display&#58;none">x</span>b', "ab"],
    ["<ul><li>a<li hidden>x<b>x</b><ul><li>x</ul>x<li>b</ul>c", "a|b|c"],
    ["<ul><li hidden>x</ul>c", "c"],
    ["<table><tr><td hidden>x<td>b</table>c", "b|c"],
    ["a<br hidden>b<img hidden>c", "a|bc"],
    ["a<div hidden/>x</div>b", "a|b"],
    ["a<dialog>x</dialog><dialog open>b</dialog>", "a|b"],
    ["<body hidden>a<style hidden>x</style>b", "a|b"],
    ['<div class=hidden data-hidden title="hidden">a</div>', "a"],
    ['<div style="" style="display:none">a</div>', "a"],
  ];
  for (const [html, text] of rows) {
    assert.equal(plainText(html).trim().replaceAll(/\s*\n\s*/g, "|"), text, html);
  }
});
