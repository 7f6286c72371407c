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
