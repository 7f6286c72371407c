/**
 * The yardstick: a script that does what a run does and nothing else. It posts a conversation with
 * `fetch`, reads the stream, reads the file that is asked for, and goes on until there is an answer.
 *
 * Arguments: the address, and optionally a JSON file with the conversation so far.
 */
interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly [key: string]: unknown;
}

const [address, historyPath] = Deno.args;
const messages: Message[] = historyPath === undefined
  ? []
  : JSON.parse(await Deno.readTextFile(historyPath));
messages.push({ role: "user", content: "go" });
while (true) {
  const response = await fetch(`${address}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", stream: true, messages }),
  });
  let call: { id: string; name: string; arguments: string } | null = null;
  let text = "";
  let rest = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data: {")) continue;
      const delta = JSON.parse(line.slice(6)).choices[0]?.delta ?? {};
      text += delta.content ?? "";
      const part = delta.tool_calls?.[0];
      if (part !== undefined) {
        call = { id: part.id, name: part.function.name, arguments: part.function.arguments };
      }
    }
  }
  if (call === null) break;
  messages.push({
    role: "assistant",
    content: null,
    tool_calls: [{
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: call.arguments },
    }],
  });
  const file = await Deno.readTextFile(JSON.parse(call.arguments).path);
  messages.push({ role: "tool", tool_call_id: call.id, content: file });
}
