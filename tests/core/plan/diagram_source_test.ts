import assert from "node:assert/strict";
import { checkSource, MAX_DIAGRAM_BYTES } from "../../../core/plan/diagram_source.ts";

const FLOW = "flowchart TD\n  a[Start] --> b[End]";

/** A source, and the start of the reason that it is rejected for; null where it is accepted. */
const SOURCES: readonly (readonly [string, string, string | null])[] = [
  ["a flowchart", FLOW, null],
  ["a graph with a semicolon", "graph TD; a-->b; b-->c", null],
  ["a sequence", "sequenceDiagram\n  Alice->>Bob: data: text is here", null],
  ["a state with a choice", "stateDiagram-v2\n  state pick <<choice>>\n  [*] --> pick", null],
  ["an inheritance", "classDiagram\n  Animal <|-- Duck", null],
  ["an entity", "erDiagram\n  USER ||--o{ ORDER : places", null],
  ["words that only contain a rule", "flowchart TD\n  a[with references] --> b[See #12]", null],
  ["a comment", `%% what it shows\n${FLOW}`, null],
  ["a harmless setting", `%%{init: {"theme": "forest"}}%%\n${FLOW}`, null],
  ["a harmless front matter", `---\ntitle: Flow\n---\n${FLOW}`, null],
  ["the word click in a mind map", "mindmap\n  root\n    click here", null],
  ["link styles", `${FLOW}\n  linkStyle 0 stroke-width:2px`, null],
  ["nothing", " \n ", "it has no Mermaid source"],
  ["another kind", "pie\n  a: 1", '"pie" is no kind'],
  ["a beta kind", "architecture-beta\n  service a", '"architecture-beta" is no kind'],
  ["a history", "gitGraph\n  commit", '"gitGraph" is no kind'],
  ["a longer keyword", "flowcharts TD\n a-->b", '"flowcharts" is no kind'],
  ["too many bytes", `${FLOW}\n%% ${"é".repeat(MAX_DIAGRAM_BYTES / 2)}`, "its source has"],
  ["an escape", `${FLOW}\u001b[2J`, "it holds control characters"],
  ["a script address", `${FLOW}\n  a["javascript:alert(1)"]`, "it holds the address of a script"],
  ["one in another case", `${FLOW}\n  a["JavaScript:x"]`, "it holds the address of a script"],
  ["one with a tab in it", `${FLOW}\n  a["java\tscript:x"]`, "it holds the address of a script"],
  ["one with an entity", `${FLOW}\n  a["java&#115;cript:x"]`, "it holds the address of a script"],
  ["one in Mermaid's spelling", `${FLOW}\n  a["javascript#58;x"]`, "it holds the address of a"],
  ["Visual Basic", `${FLOW}\n  a["vbscript:x"]`, "it holds the address of a script"],
  ["a data address", `${FLOW}\n  a["data:text/html,x"]`, 'it holds a "data:" address'],
  ["a reference", `${FLOW}\n  a["HREF=x"]`, 'it holds "href"'],
  ["a style that loads", `${FLOW}\n  style a fill:url(x)`, 'it holds "url("'],
  ["one in the spelling of styles", `${FLOW}\n  style a fill:u\\72 l(x)`, 'it holds "url("'],
  ["one behind a backslash", `${FLOW}\n  style a fill:u\\rl(x)`, 'it holds "url("'],
  ["a path with backslashes", `${FLOW}\n  a["C:\\work\\110000000"]`, null],
  ["a style that imports", `${FLOW}\n  a["@import x"]`, 'it holds "@import"'],
  ["a tag", `${FLOW}\n  a["<script>x"]`, "it holds an HTML tag"],
  ["a tag that is not closed", `${FLOW}\n  a["<img src=x"]`, "it holds an HTML tag"],
  ["a tag in entities", `${FLOW}\n  a["&#x3c;b>"]`, "it holds an HTML tag"],
  ["a click", `${FLOW}\n  click a "https://x"`, 'it holds the instruction "click"'],
  ["a click behind a semicolon", "graph TD; a-->b; click a x", 'it holds the instruction "click"'],
  [
    "a click behind a blank of another kind",
    `${FLOW}\n\u00a0click a x`,
    "it holds the instruction",
  ],
  ["a link", "sequenceDiagram\n  A->>B: x\n  link A: B @ c", 'it holds the instruction "link"'],
  ["a callback", `${FLOW}\n  callback a`, 'it holds the instruction "callback"'],
  ["a security setting", `%%{init: {"securityLevel": "loose"}}%%\n${FLOW}`, "its settings touch"],
  ["one in front matter", `---\nconfig:\n  htmlLabels: true\n---\n${FLOW}`, "its settings touch"],
  ["one below the keyword", `${FLOW}\n%%{init: {"logLevel": 1}}%%`, "its settings touch"],
  ["one that is spelled out", `%%{init: {"\\u0073ecure": []}}%%\n${FLOW}`, "its settings hold"],
  ["a setting that is not closed", `%%{init: {"theme": 1}\n${FLOW}`, 'it holds a "%%{"'],
  ["front matter that is not closed", `---\ntitle: x\n${FLOW}`, "its front matter is not closed"],
];

for (const [name, source, reason] of SOURCES) {
  Deno.test(`checkSource() ${reason === null ? "accepts" : "rejects"} ${name}`, () => {
    const checked = checkSource(source);
    if (reason === null) return assert.equal(checked.status, "accepted", JSON.stringify(checked));
    assert.equal(checked.status, "rejected");
    assert.ok(checked.status === "rejected" && checked.reason.startsWith(reason), checked.status);
  });
}

/** A diagram of so many things. */
const SIZES: readonly (readonly [string, (count: number) => string])[] = [
  ["a flowchart", (n) => `flowchart TD\n${list(n, (i) => `  n${i}[Node ${i}]`)}`],
  ["a chain in one line", (n) => `flowchart LR\n  ${list(n, (i) => `n${i}`, " --> ")}`],
  ["a sequence", (n) => `sequenceDiagram\n${list(n - 2, (i) => `  A->>B: call ${i}`)}`],
  ["states", (n) => `stateDiagram-v2\n${list(n, (i) => `  state s${i}`)}`],
  ["entities", (n) => `erDiagram\n${list(n, (i) => `  E${i} {\n    string a\n  }`)}`],
  ["classes", (n) => `classDiagram\n${list(n, (i) => `  class C${i}`)}`],
  ["a mind map", (n) => `mindmap\n${list(n, (i) => `  item ${i}`)}`],
  ["a time line", (n) => `timeline\n${list(n / 2, (i) => `  ${i} : thing`)}`],
  ["a journey", (n) => `journey\n${list(n, (i) => `  Step ${i}: 3: Me`)}`],
  ["a Gantt chart", (n) => `gantt\n${list(n, (i) => `  Task ${i}: 1d`)}`],
];

for (const [name, draw] of SIZES) {
  Deno.test(`checkSource() takes 40 things of ${name}, and not 42`, () => {
    assert.equal(checkSource(draw(40)).status, "accepted");
    const { reason } = { reason: "", ...checkSource(draw(42)) };
    assert.match(reason, /^it shows about 4[1-9] things, the limit is 40/);
  });
}

Deno.test("checkSource() keeps plain line ends, and no spaces at the ends", () => {
  assert.deepEqual(checkSource("\r\n\r\nflowchart TD  \r\n  a --> b\t\r\n\r\n"), {
    status: "accepted",
    syntax: "flowchart",
    source: "flowchart TD\n  a --> b",
  });
});

function list(count: number, line: (index: number) => string, between = "\n"): string {
  return Array.from({ length: count }, (_, index) => line(index)).join(between);
}
