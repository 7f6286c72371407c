import assert from "node:assert/strict";
import { shown, withCli } from "../support/cli_harness.ts";
import { DENO } from "../support/paths.ts";
import { callTurn, startModel, toolResults } from "../support/scripted_model.ts";
import { SAMPLE_IMAGES } from "../support/sample_images.ts";
import { offeredTools } from "./_mcp.ts";
import { useModel } from "./_support.ts";

/** A server with odd tools, of which each answers with what it was made with, or what it was sent. */
const SERVER = `
const [tools, results] = JSON.parse(Deno.readTextFileSync(Deno.args[0]));
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  for (const line of chunk.split("\\n").filter((each) => each !== "")) {
    const { id, method, params } = JSON.parse(line);
    if (method === "initialize") {
      const serverInfo = { name: "odd", version: "1" };
      const { protocolVersion } = params;
      send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
    } else if (method === "tools/list") send({ id, result: { tools } });
    else if (method === "tools/call") {
      const text = JSON.stringify(params.arguments);
      send({ id, result: results[params.name] ?? { content: [{ type: "text", text }] } });
    } else if (id !== undefined) send({ id, error: { code: -32601, message: "Unknown" } });
  }
}`;

interface OddServer {
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  readonly results?: Readonly<Record<string, unknown>>;
}

/** Runs calls against the server, and answers what the model was offered and told. */
async function runOdd(
  { tools, results = {} }: OddServer,
  calls: readonly (readonly [string, Readonly<Record<string, unknown>>])[],
): Promise<{ offered: ReturnType<typeof offeredTools>; told: readonly string[]; sent: string }> {
  await using model = await startModel([callTurn(...calls)]);
  let answer;
  await withCli(async (cli) => {
    await Deno.writeTextFile(`${cli.dir}/odd.js`, SERVER);
    await Deno.writeTextFile(`${cli.dir}/odd.json`, JSON.stringify([tools, results]));
    const args = ["run", "-A", "--no-config", "--no-lock", `${cli.dir}/odd.js`];
    const odd = { command: DENO, args: [...args, `${cli.dir}/odd.json`] };
    await useModel(cli, model, { mcp: { servers: { odd } } });
    const run = await cli.run(["run", "x", "--json", "--allow-mcp"]);
    assert.equal(run.status, 0, shown(run));
    assert.deepEqual(model.violations, []);
    const second = await model.chat(1);
    answer = {
      offered: offeredTools(await model.chat(0)),
      told: toolResults(second),
      sent: JSON.stringify(second.json),
    };
  });
  assert.ok(answer !== undefined);
  return answer;
}

Deno.test("alisio run shows a model the whole form of a tool with definitions, and sends what was declared (field cases 118, 121)", async () => {
  const { offered, told } = await runOdd({
    tools: [
      {
        name: "tree",
        inputSchema: {
          type: "object",
          properties: { "the root": { $ref: "#/$defs/Node" } },
          required: ["the root"],
          $defs: {
            Node: {
              type: "object",
              properties: {
                label: { type: "string" },
                below: { type: "array", items: { $ref: "#/$defs/Node" } },
              },
              required: ["label"],
            },
          },
        },
      },
      { name: "bare", inputSchema: { type: "object" } },
    ],
  }, [
    ["mcp_odd_tree", { the_root: { label: "a", below: [{ label: "b", below: [] }] } }],
    ["mcp_odd_tree", { the_root: { below: [] } }],
    ["mcp_odd_bare", {}],
  ]);
  const formOf = (name: string) => offered.find((tool) => tool.name === name)?.parameters;
  assert.doesNotMatch(JSON.stringify(formOf("mcp_odd_tree")), /\$ref|\$defs/);
  assert.match(JSON.stringify(formOf("mcp_odd_tree")), /"the_root":.*"label":.*The same again/);
  assert.deepEqual(formOf("mcp_odd_bare"), { type: "object", properties: {} });
  const [tree, wrong, bare] = told;
  assert.equal(tree, '{"the root":{"label":"a","below":[{"label":"b","below":[]}]}}');
  assert.match(wrong ?? "", /not valid, so it was not run[^]*"label"/);
  assert.equal(bare, "{}");
});

Deno.test("alisio run sends a model no base64 of a result, and nothing twice (field case 127)", async () => {
  const bytes = new Uint8Array(1024 * 1024).map((_, index) => index * 7 % 251);
  bytes.set(SAMPLE_IMAGES.png);
  const data = bytes.toBase64();
  const structured = { columns: ["a"], rows: [["unique-cell"]] };
  const { told, sent } = await runOdd({
    tools: [{ name: "shot" }, { name: "table" }].map((tool) => ({
      ...tool,
      inputSchema: { type: "object" },
    })),
    results: {
      shot: {
        content: [
          { type: "image", data, mimeType: "image/png" },
          { type: "audio", data: btoa("RIFF"), mimeType: "audio/wav" },
        ],
        structuredContent: { data, ok: true },
      },
      table: {
        content: [{ type: "text", text: JSON.stringify(structured) }],
        structuredContent: structured,
      },
    },
  }, [["mcp_odd_shot", {}], ["mcp_odd_table", {}]]);
  assert.doesNotMatch(sent, /[A-Za-z0-9+/]{200}/);
  const [shot = "", table] = told;
  assert.match(shot, /^\[image: image\/png 3x2\]/);
  assert.match(shot, /\[audio\/wav, 4 bytes/);
  assert.match(shot, /"data":"\[data of another part\]","ok":true/);
  assert.equal(table, JSON.stringify(structured));
});
