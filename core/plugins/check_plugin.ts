import type { Plugin } from "@alisio/sdk";
import { isObject } from "../config/is_object.ts";

/** What an id must match. */
export const PLUGIN_ID_REGEXP = /^[a-z0-9][a-z0-9.-]{0,63}$/;

/** SemVer 2.0.0, without what stands after a plus sign of more than one part. */
const VERSION_REGEXP =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

/**
 * Takes the plugin out of its module.
 *
 * @param module What was imported.
 * @returns The plugin, or what is wrong with it; the reason continues "Cannot load plugin …:".
 */
export function pluginOf(
  module: Readonly<Record<string, unknown>>,
): { readonly plugin: Plugin } | { readonly flaw: string } {
  const exported = withoutWrapper(module.default);
  if (exported === undefined) {
    return { flaw: "it has no default export: write export default definePlugin({ … })" };
  }
  if (!isObject(exported) || !FIELDS.some((field) => field in exported)) {
    return { flaw: "its default export is no plugin: write export default definePlugin({ … })" };
  }
  const flaw = flawOf(exported);
  // Every field that the host uses was looked at.
  return flaw === null ? { plugin: exported as unknown as Plugin } : { flaw };
}

/** What each plugin has. */
const FIELDS = ["id", "version", "apiVersion", "setup"];

/** CommonJS that a compiler made of ES modules, or that requires one, exports the default by name. */
function withoutWrapper(exported: unknown): unknown {
  if (!isObject(exported) || !("default" in exported)) return exported;
  return FIELDS.some((field) => field in exported) ? exported : exported.default;
}

function flawOf(plugin: Readonly<Record<string, unknown>>): string | null {
  const { id, version, apiVersion, setup, dispose, name, description } = plugin;
  const { categories, extensions } = plugin;
  if (apiVersion !== 1) {
    return `its apiVersion is ${
      shown(apiVersion)
    }, and this Alisio speaks 1: install a version of ` +
      "the plugin that is made for it";
  }
  if (typeof id !== "string" || !PLUGIN_ID_REGEXP.test(id)) {
    return `its id is ${
      shown(id)
    }: an id has 1 to 64 lowercase letters, digits, dots and hyphens, ` +
      "such as acme.hello";
  }
  if (typeof version !== "string" || !VERSION_REGEXP.test(version)) {
    return `its version is ${shown(version)}: write one such as 0.1.0`;
  }
  if (typeof setup !== "function") return "it has no function setup(api)";
  if (dispose !== undefined && typeof dispose !== "function") return "its dispose is no function";
  for (const [key, value] of Object.entries({ name, description })) {
    if (value !== undefined && typeof value !== "string") return `its ${key} is no text`;
  }
  if (extensions !== undefined && !isObject(extensions)) return "its extensions are no object";
  const isList = categories === undefined ||
    (Array.isArray(categories) && categories.every((each) => typeof each === "string"));
  return isList ? null : "its categories are no list of texts";
}

function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (typeof value === "string") return JSON.stringify(value.slice(0, 80));
  return typeof value === "number" || typeof value === "boolean" ? String(value) : typeof value;
}
