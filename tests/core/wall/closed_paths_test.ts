import assert from "node:assert/strict";
import { formatClosedPaths, parseClosedPaths } from "../../../core/wall/closed_paths.ts";

Deno.test("parseClosedPaths() reads what formatClosedPaths() wrote", () => {
  const paths = [
    { path: "/ws/link", real: "/ws/vault", identity: "1:2" },
    { path: '/ws/"odd\n', real: '/ws/"odd\n', identity: null },
  ];
  assert.deepEqual(parseClosedPaths(formatClosedPaths(paths)), paths);
});

Deno.test("parseClosedPaths() leaves out what was made up", () => {
  for (const text of [undefined, "", "{", "null", "{}", '"x"', "[1]", "[[1, 2, 3]]", '[["/a"]]']) {
    assert.deepEqual(parseClosedPaths(text), [], text);
  }
  assert.deepEqual(parseClosedPaths('[["/a", "/b", 3], []]'), [
    { path: "/a", real: "/b", identity: null },
  ]);
});
