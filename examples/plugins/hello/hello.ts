import { definePlugin, textResult } from "@alisio/sdk";

/** A plugin with one tool. */
export default definePlugin({
  id: "acme.hello",
  name: "Acme Hello",
  description: "Adds a friendly greeting tool",
  version: "0.1.0",
  apiVersion: 1,
  setup(api) {
    api.tools.register({
      name: "hello",
      description: "Greets a person by name.",
      effect: "read",
      inputSchema: {
        type: "object",
        properties: { name: { type: "string" } },
        required: ["name"],
        additionalProperties: false,
      },
      execute: (input) => Promise.resolve(textResult(`Hello, ${String(input.name)}!`)),
    });
  },
});
