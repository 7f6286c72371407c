import { definePlugin, textResult } from "@alisio/sdk";

/** A plugin with one tool and one command. */
export default definePlugin({
  id: "acme.hello",
  name: "Acme Hello",
  description: "Adds a friendly greeting tool",
  version: "0.1.0",
  apiVersion: 1,
  setup(api) {
    let greetings = 0;

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
      execute(input) {
        greetings += 1;
        api.ui.status("greetings", `hello ${greetings}`);
        return Promise.resolve(textResult(`Hello, ${String(input.name)}!`));
      },
    });

    api.commands.register("greetings", () => Promise.resolve(`Greetings so far: ${greetings}`), {
      description: "Shows how many greetings were sent",
    });
  },
});
