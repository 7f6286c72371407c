/**
 * A model provider that plays a JSON script of turns, for tests, demonstrations and plugin authors
 * without a key. Only the model is scripted: tools, permissions and sessions are the real ones.
 *
 * `--model scripted/PATH` selects the script at `PATH`.
 *
 * @example A script with one call and an answer
 * ```json
 * {
 *   "turns": [
 *     { "calls": [{ "name": "read_file", "arguments": { "path": "README.md" } }] },
 *     { "text": "Read it.", "expect": { "toolIsError": false } }
 *   ]
 * }
 * ```
 *
 * @module
 */
import {
  definePlugin,
  type ModelProvider,
  type Plugin,
  type ProviderCreateRequest,
} from "@alisio/sdk";
import { parseScript } from "./script.ts";
import { ScriptedProvider } from "./scripted_provider.ts";

const MAX_SCRIPT_BYTES = 16_777_216;

/** Registers the provider `scripted`. Its profile has one field: `script`, the path. */
export const scriptedPlugin: Plugin = definePlugin({
  id: "scripted",
  version: "0.1.0",
  apiVersion: 1,
  name: "Scripted model",
  description: "Plays a JSON script of model turns.",
  categories: ["model-provider"],
  setup(api) {
    api.providers.register({
      id: "scripted",
      name: "Scripted model",
      description: "Plays a JSON script of model turns; no server is asked.",
      fields: [{
        name: "script",
        label: "Script",
        required: true,
        description: "Path of the JSON file.",
      }],
      create: openScript,
    });
  },
});

async function openScript({ profile }: ProviderCreateRequest): Promise<ModelProvider> {
  const path = profile["script"];
  if (typeof path !== "string" || path === "") {
    throw new TypeError('Cannot open a script: field "script" must be the path of a JSON file');
  }
  return new ScriptedProvider(parse(await readScript(path), path), path);
}

async function readScript(path: string): Promise<string> {
  try {
    const { isFile, size } = await Deno.stat(path);
    if (!isFile) throw new RangeError("it is not a file");
    if (size > MAX_SCRIPT_BYTES) {
      throw new RangeError(`size is ${size} bytes, limit is ${MAX_SCRIPT_BYTES}`);
    }
    return await Deno.readTextFile(path);
  } catch (cause) {
    throw new TypeError(`Cannot read script "${path}": ${reasonOf(cause)}`, { cause });
  }
}

function parse(text: string, path: string): ReturnType<typeof parseScript> {
  try {
    return parseScript(text);
  } catch (cause) {
    throw new TypeError(`Cannot use script "${path}": ${reasonOf(cause)}`, { cause });
  }
}

function reasonOf(cause: unknown): string {
  if (cause instanceof Deno.errors.NotFound) return "there is no such file; check the path";
  const reason = cause instanceof Error ? cause.message : String(cause);
  return reason.replaceAll(/\s+/g, " ");
}
