import assert from "node:assert/strict";
import { type CliResult, jsonLines, shown, withCli } from "../support/cli_harness.ts";
import { callTurn, startModel, toolResults } from "../support/scripted_model.ts";
import { useModel } from "./_support.ts";

const READ_ALL = `
const names = (await callTool("list_files", {})).files;
const texts = await Promise.all(names.map((path) => callTool("read_file", { path })));
console.log(names.length + " files");
return texts.map(({ content }) => content.length);
`;

/** The data of all events of a type. */
function allOf(run: CliResult, type: string): readonly Readonly<Record<string, unknown>>[] {
  return jsonLines(run).filter((line) => line.type === type).map(({ data }) => data);
}

Deno.test("execute calls tools in a headless run, and only what it returns goes to the model", async () => {
  await using model = await startModel([callTurn(["execute", { code: READ_ALL }])]);
  await withCli(async (cli) => {
    await Deno.writeTextFile(`${cli.workspace}/a.txt`, "secret words\n");
    await Deno.writeTextFile(`${cli.workspace}/b.txt`, "more\n");
    await useModel(cli, model);
    const run = await cli.run(["run", "--json", "--allow-process", "go"]);
    assert.equal(run.status, 0, shown(run));
    const request = await model.chat(1);
    const { value, console, calls } = JSON.parse(toolResults(request)[0] ?? "");
    assert.deepEqual(value, ["1: secret words".length, "1: more".length]);
    assert.equal(console, "2 files");
    assert.deepEqual(calls.map(({ tool, outcome }: Record<string, string>) => [tool, outcome]), [
      ["list_files", "done"],
      ["read_file", "done"],
      ["read_file", "done"],
    ]);
    assert.ok(!JSON.stringify(request.json).includes("secret words"));
    const started = allOf(run, "tool_started");
    const parent = started[0]?.id;
    assert.deepEqual(started.map(({ id, name, parentId }) => [id, name, parentId]), [
      [parent, "execute", undefined],
      [`${parent}/1`, "list_files", parent],
      [`${parent}/2`, "read_file", parent],
      [`${parent}/3`, "read_file", parent],
    ]);
    const completed = allOf(run, "tool_completed");
    assert.equal(completed.filter(({ parentId }) => parentId === parent).length, 3);
    assert.equal(completed.at(-1)?.id, parent);
    assert.deepEqual(model.violations, []);
  });
});
