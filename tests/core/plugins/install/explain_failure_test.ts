import assert from "node:assert/strict";
import { explainFailure } from "../../../../core/plugins/install/explain_failure.ts";

Deno.test("explainFailure() tells a package that is missing from one that it needs", () => {
  const missing = (name: string) =>
    `npm error code E404\nnpm error 404  The requested resource '${name}@^1.0.0' could not be found`;
  const rows: readonly (readonly [string, RegExp])[] = [
    [
      missing("alisio-plugin-x"),
      /^Cannot install "npm:alisio-plugin-x@1\.0\.0": the registry has no /,
    ],
    [
      missing("@acme/dep"),
      /: it needs package "@acme\/dep", which the registry does not have\. npm/,
    ],
    [
      missing("@alisio/sdk"),
      /: it needs package "@alisio\/sdk", which the registry does not have; plugins find it without /,
    ],
    ["npm error code E404", /: the registry has no such package, or does not show it to you; /],
  ];
  for (const [output, message] of rows) {
    const error = explainFailure(
      { kind: "npm", program: "npm" },
      { exitCode: 1, endedBy: "exit", endSignal: null, output },
      {
        what: 'install "npm:alisio-plugin-x@1.0.0"',
        retry: "alisio install alisio-plugin-x@1.0.0",
        isUpdateOfAll: false,
        installed: [],
      },
    );
    assert.match(error.message, message);
  }
});
