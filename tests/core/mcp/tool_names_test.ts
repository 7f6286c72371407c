import { deepEqual, match, notEqual, ok } from "node:assert/strict";
import { nameTools } from "../../../core/mcp/tool_names.ts";

Deno.test("nameTools() names the server and the tool, and replaces what providers refuse", () => {
  deepEqual(
    nameTools([
      { server: "devforge", tool: "time_diff" },
      { server: "my.server", tool: "get/it now" },
      { server: "a-b", tool: "c-d" },
    ]),
    ["mcp_devforge_time_diff", "mcp_my_server_get_it_now", "mcp_a-b_c-d"],
  );
});

Deno.test("nameTools() adds a hash to every name that two tools would have, in any order", () => {
  const tools = [{ server: "a.b", tool: "c" }, { server: "a_b", tool: "c" }];
  const names = nameTools(tools);
  for (const name of names) match(name, /^mcp_a_b_c_[0-9a-f]{8}$/);
  notEqual(names[0], names[1]);
  deepEqual(nameTools(tools.toReversed()).toReversed(), names);
});

Deno.test("nameTools() cuts a long name and keeps it apart from its neighbour", () => {
  const long = "x".repeat(100);
  const names = nameTools([{ server: "s", tool: `${long}1` }, { server: "s", tool: `${long}2` }]);
  ok(names.every((name) => name.length === 64));
  notEqual(names[0], names[1]);
  deepEqual(nameTools([{ server: "s", tool: `${long}1` }]), names.slice(0, 1));
});

Deno.test("nameTools() leaves a name that fits exactly as it is", () => {
  const tool = "y".repeat(64 - "mcp_s_".length);
  deepEqual(nameTools([{ server: "s", tool }]), [`mcp_s_${tool}`]);
});

Deno.test("nameTools() stands aside for a tool that is none of a server's", () => {
  const [name = ""] = nameTools([{ server: "s", tool: "t" }], (each) => each === "mcp_s_t");
  match(name, /^mcp_s_t_[0-9a-f]{8}$/);
});

Deno.test("nameTools() gives tools with the very same names different ones", () => {
  const names = nameTools([{ server: "s", tool: "t" }, { server: "s", tool: "t" }]);
  notEqual(names[0], names[1]);
});
