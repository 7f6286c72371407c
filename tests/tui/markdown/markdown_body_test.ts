import assert from "node:assert/strict";
import { MarkdownBody } from "../../../tui/markdown/markdown_body.ts";
import { textOfLine } from "../../../tui/text/span.ts";
import { markdownLook, markdownRows, streamedRows } from "./_look.ts";

const look = await markdownLook();

/** Texts, and what is shown of them. */
const ROWS: readonly (readonly [name: string, text: string, rows: readonly string[]])[] = [
  ["a heading", "## Plan *b*", ["## Plan b"]],
  ["a paragraph whose lines stay", "one\ntwo  \nthree", ["one", "two", "three"]],
  ["emphasis", "a **b** _c_ ~~d~~ `e*`", ["a b c ~~d~~ `e*`"]],
  ["snake_case", "the file_name_here and 2 * 3 * 4", ["the file_name_here and 2 * 3 * 4"]],
  ["shell variables", "Set $HOME to **x** ($PATH)", ["Set $HOME to x ($PATH)"]],
  ["links, and where they lead", "[a](http://b/) <http://c/>", ["a (http://b/) http://c/"]],
  ["an image", "![alt](p.png)", ["[image: alt] (p.png)"]],
  ["a list", "- a\n- b\n  - c\n\n- d", ["• a", "• b", "  • c", "", "• d"]],
  ["numbers as they are", "3. a\n3. b\n7) c", ["3. a", "3. b", "7) c"]],
  ["tasks", "- [x] a\n- [ ] b", ["• [x] a", "• [ ] b"]],
  ["code in a list", "1. a\n   ```\n   b\n\n   c\n   ```\n2. d", [
    "1. a",
    "     b",
    "",
    "     c",
    "2. d",
  ]],
  ["a quote", "> a\n> > b", ["│ a", "│ │ b"]],
  ["a rule", "a\n\n***\n\nb", ["a", "", "─".repeat(60), "", "b"]],
  ["code", "a\n```ts\nb  c\n\n```\nd", ["a", "", "  b  c", "", "", "d"]],
  ["code in tildes", "~~~\n```\n~~~", ["  ```"]],
  ["code that does not end", "```\na\n", ["  a"]],
  ["a table", "| a | bb |\n|---|--:|\n| ccc | d |", ["a   │ bb", "────┼───", "ccc │  d"]],
  ["a table with dashes of another kind", "| a | b |\n|——|:──:|\n| c | d |", [
    "a │ b",
    "──┼──",
    "c │ d",
  ]],
  ["dashes in code as they are", "```\n|——|——|\n```", ["  |——|——|"]],
  ["HTML as it is", "<b>a</b>\n\n<div>\nb\n</div>", ["<b>a</b>", "", "<div>", "b", "</div>"]],
  ["entities", "a &lt;b&gt; &amp;amp; &#65; &copy;", ["a <b> &amp; A &copy;"]],
  ["entities that are control characters", "&#27;[31m&#x9b;&#8238;&#0;", [
    "\\x1b[31m\\u009b\\u202e\\x00",
  ]],
  ["a link that is explained later", "[a]\n\nb\n\n[a]: http://c/", [
    "a (http://c/)",
    "",
    "b",
    "",
    "[a]: http://c/",
  ]],
  ["the sign of a question as an escape", "▞▞ Allow?", ["\\u259e\\u259e Allow?"]],
  ["no empty rows around it", "\n\n\na\n\n\n\nb\n\n", ["a", "", "b"]],
];

for (const [name, text, rows] of ROWS) {
  Deno.test(`MarkdownBody shows ${name}`, () => {
    assert.deepEqual(markdownRows(text, look), rows);
  });

  Deno.test(`MarkdownBody shows ${name} however it comes in pieces`, () => {
    for (let size = 1; size <= 5; size++) {
      const body = new MarkdownBody(textOfLine);
      for (let end = size; end < text.length + size; end += size) {
        body.update(text.slice(0, end));
        body.rows(look, 60);
      }
      body.complete();
      assert.deepEqual(body.rows(look, 60).map((row) => row.trimEnd()), rows);
    }
  });
}

/** What must never be seen while a text comes in. */
const NEVER: readonly (readonly [name: string, text: string, never: RegExp])[] = [
  ["a heading where a list begins", "Do this:\n- a\n- b\n", /# /],
  ["marks of strong text", "This is **very strong** text\n", /\*/],
  ["the start of the fence that closes code", "```\na\n```\nb", /^ *`+$/m],
  ["the start of the fence that opens code", "a\n\n```ts\nb\n```", /^ *`+/m],
  [
    "half a row of a table",
    "| a | b |\n|---|---|\n| cc | dd |\n| ee | ff |\n",
    /\bc\b|\bd\b|\be\b/,
  ],
  ["a rule where a table begins", "| a | b |\n|---|---|\n| c | d |\n", /^\|/m],
];

for (const [name, text, never] of NEVER) {
  Deno.test(`MarkdownBody never shows ${name} while it comes in`, () => {
    for (const rows of streamedRows(text.split(""), look)) {
      assert.doesNotMatch(rows.join("\n"), never);
    }
  });
}

Deno.test("MarkdownBody takes nothing back while a text comes in", () => {
  const text =
    "# T\n\nSome **words** and `code`.\n\n- a\n- b\n\n```js\nlet a = 1;\nlet b;\n```\n\nEnd";
  let before = 0;
  for (const rows of streamedRows(text.split(""), look)) {
    assert.ok(rows.length >= before, rows.join("\n"));
    before = rows.length;
  }
});

Deno.test("MarkdownBody reads only the part that is open", () => {
  let read = 0;
  const counting = {
    ...look,
    parser: Object.assign(Object.create(look.parser), {
      tokens(source: string) {
        read += source.length;
        return look.parser.tokens(source);
      },
    }),
  };
  const paragraph = "Some words that make a paragraph of about sixty characters.\n\n";
  const body = new MarkdownBody(textOfLine);
  const text = paragraph.repeat(400);
  for (let end = 50; end <= text.length; end += 50) {
    body.update(text.slice(0, end));
    body.rows(counting, 60);
  }
  // Whoever read the text again each time would have read more than 5 million characters.
  assert.ok(read < text.length * 4, `${read} characters were read of ${text.length}`);
});

Deno.test("MarkdownBody colours a long code block piece by piece", async () => {
  let coloured = 0;
  const counting = {
    ...look,
    highlighter: Object.assign(Object.create(look.highlighter), {
      lines(code: string, language: string) {
        coloured += code.length;
        return look.highlighter.lines(code, language);
      },
    }),
  };
  const line = "const value = compute(1, 2, 3);\n";
  const body = new MarkdownBody(textOfLine);
  const text = "```ts\n" + line.repeat(1_000);
  for (let end = 6; end <= text.length; end += line.length) {
    body.update(text.slice(0, end));
    body.rows(counting, 60);
  }
  await look.highlighter.loaded();
  assert.ok(coloured < text.length * 25, `${coloured} characters were coloured of ${text.length}`);
});

Deno.test("MarkdownBody shows a sequence that is cut in two as one that is not", () => {
  const body = new MarkdownBody(textOfLine);
  for (
    const text of ["a\x1b", "a\x1b]0;x", "a\x1b]0;x\x07 👩\u200d", "a\x1b]0;x\x07 👩\u200d💻\n"]
  ) {
    body.update(text);
    // deno-lint-ignore no-control-regex -- what a terminal would obey
    assert.doesNotMatch(body.rows(look, 60).join(""), /[\x1b\x07]/);
  }
  body.complete();
  assert.deepEqual(body.rows(look, 60), ["a\\x1b]0;x\\x07 👩\u200d💻"]);
});

/** Texts that a parser takes its time over, and how long they are. */
const SLOW: readonly (readonly [name: string, text: string])[] = [
  ["nested quotes", `${">".repeat(20_000)} a`],
  ["nested lists", `${"- ".repeat(10_000)}a`],
  ["brackets", "[".repeat(50_000)],
  ["emphasis", "*a ".repeat(20_000)],
  ["underscores", "_a".repeat(20_000)],
  ["ticks", "`".repeat(50_001)],
  ["one line", "a".repeat(400_000)],
  ["one table", `|a|b|\n|-|-|\n${"|*c*|d|\n".repeat(5_000)}`],
];

for (const [name, text] of SLOW) {
  Deno.test(`MarkdownBody shows ${name} without end, within three seconds`, () => {
    const startedAt = performance.now();
    assert.ok(markdownRows(text, look, 40).length > 0);
    const ms = performance.now() - startedAt;
    assert.ok(ms < 3_000, `${ms} ms`);
  });
}
