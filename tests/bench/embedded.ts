/** A loop through the embedding API, longer than one run of the command line may be. */
import { BUILTIN_PLUGINS } from "../../cli/open_application.ts";
import { createApplication, createStandardTools, loadSchemaValidator } from "../../mod.ts";

const [address = "", turns = ""] = Deno.args;
const application = await createApplication({
  cwd: Deno.cwd(),
  env: Deno.env.toObject(),
  baseUrl: address,
  model: "m",
  tools: createStandardTools,
  plugins: BUILTIN_PLUGINS,
  loadValidator: loadSchemaValidator,
});
const session = await application.createSession();
await session.run("go", {
  signal: new AbortController().signal,
  observers: [],
  limits: {
    maxTurns: Number(turns),
    maxTokens: Number.MAX_SAFE_INTEGER,
    maxContextChars: Number.MAX_SAFE_INTEGER,
  },
});
await session.close();
await application.close();
