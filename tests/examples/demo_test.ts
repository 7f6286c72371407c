import assert from "node:assert/strict";
import { DENO, ROOT } from "../support/paths.ts";

const REPORT = `${ROOT}/examples/demo/output/report.md`;

Deno.test("demo.ts does the main job, resumes it, and says that only the model is scripted", async () => {
  const { success, stdout, stderr } = await new Deno.Command(DENO, {
    args: ["run", "-A", "examples/demo/demo.ts"],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const out = new TextDecoder().decode(stdout);
  assert.ok(success, `${out}${new TextDecoder().decode(stderr)}`);
  assert.match(out, /Only the model is scripted/);
  assert.match(out, /\$ alisio run --model scripted\/examples\/demo\/script\.json /);
  assert.match(out, /\nDone: examples\/demo\/output\/report\.md names /);
  assert.match(out, /Yes: the report that this session wrote says "Status: final"\./);
  const [, session, database] = /\nSession +(\S+)\nDatabase +(\S+)\n/.exec(out) ?? [];
  assert.ok(session !== undefined && database !== undefined, out);
  assert.ok((await Deno.stat(database)).isFile);
  const report = await Deno.readTextFile(REPORT);
  assert.match(report, /^- A tool is defined in sdk\/tool\.ts, line \d+$/m);
  assert.match(report, /^- SHA-256 of that file: [0-9a-f]{64}$/m);
  assert.match(report, /^Status: final$/m);
  await Deno.remove(database.replace(/\/state\/.*$/, ""), { recursive: true });
});
