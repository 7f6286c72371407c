import { CONFIG_ROOT, type ConfigKey, listConfigKeys, MCP_TYPES } from "./config_keys.ts";
import type {
  FreeObjectKey,
  ListKey,
  NumberKey,
  RecordKey,
  SectionKey,
  TextKey,
  UrlKey,
} from "./config_keys.ts";
import { isObject } from "./is_object.ts";
import { isLoopbackHost } from "./loopback_host.ts";
import { nearestName } from "./nearest_name.ts";
import { quoted } from "./quoted.ts";
import { isSecretName } from "../secret_names.ts";

/** One thing that is wrong in a configuration. */
export interface ConfigProblem {
  /** Path of the key, for example `limits.maxTurns`; empty for the file as a whole. */
  readonly key: string;
  /** What is wrong, as the rest of a sentence that starts with the key. */
  readonly message: string;
  /** The known key or value that was probably meant. */
  readonly nearest?: string;
}

/** A variable in a header. */
const VARIABLE_REGEXP = /\$\{[A-Za-z_][A-Za-z0-9_]*\}/;

/** Deeper values are refused before anything walks them. */
const MAX_DEPTH = 32;

/**
 * Checks the content of one configuration file against the table of keys.
 *
 * Pure, and complete: it returns every problem, not the first. No problem quotes a value that may
 * be a secret.
 *
 * @param value The parsed file.
 * @returns The problems in the order of the file; empty if there is none.
 */
export function checkConfig(value: unknown): readonly ConfigProblem[] {
  if (!isObject(value)) {
    return [{ key: "", message: `must be one JSON object, found ${kindOf(value)}` }];
  }
  if (isDeeperThan(value, MAX_DEPTH)) {
    return [{ key: "", message: `must not be nested more than ${MAX_DEPTH} levels deep` }];
  }
  return [...checkSection("", value, CONFIG_ROOT), ...checkAliases(value)];
}

/**
 * Checks one value against one key, for flags and environment variables.
 *
 * @param name What the value is called in the problem.
 * @param value The value.
 * @param key The key whose type and range count.
 */
export function checkConfigValue(
  name: string,
  value: unknown,
  key: ConfigKey,
): readonly ConfigProblem[] {
  switch (key.type) {
    case "boolean":
      return typeof value === "boolean" ? [] : [mustBe(name, "true or false", value)];
    case "integer":
    case "number":
      return checkNumber(name, value, key);
    case "text":
      return checkText(name, value, key);
    case "choice":
      return checkChoice(name, value, key.values);
    case "url":
      return checkUrl(name, value, key);
    case "list":
      return checkList(name, value, key);
    case "record":
      return isObject(value) ? checkRecord(name, value, key) : [mustBe(name, "an object", value)];
    case "section":
      return isObject(value) ? checkSection(name, value, key) : [mustBe(name, "an object", value)];
    case "object":
      return isObject(value)
        ? checkFreeObject(name, value, key)
        : [mustBe(name, "an object", value)];
  }
}

function checkSection(
  path: string,
  value: Readonly<Record<string, unknown>>,
  section: SectionKey,
): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  for (const [name, item] of Object.entries(value)) {
    const key = Object.hasOwn(section.keys, name) ? section.keys[name] : undefined;
    if (key !== undefined) problems.push(...checkConfigValue(join(path, name), item, key));
    else if (section.entries !== undefined && isObject(item)) {
      problems.push(...checkRecord(path, { [name]: item }, section.entries));
    } else if (section.open !== true) problems.push(unknownKey(path, name, section));
  }
  for (const [name, key] of Object.entries(section.keys)) {
    if (key.required === true && !Object.hasOwn(value, name)) {
      problems.push({ key: join(path, name), message: "is missing" });
    }
  }
  return isServer(section) ? [...problems, ...checkServer(path, value)] : problems;
}

function unknownKey(path: string, name: string, section: SectionKey): ConfigProblem {
  const key = join(path, keyName(name));
  const sibling = nearestName(name, Object.keys(section.keys));
  const nearest = sibling === undefined ? keyElsewhere(name) : join(path, sibling);
  if (nearest !== undefined) return { key, message: "is not a known key", nearest };
  const known = Object.keys(section.keys).map((each) => `"${each}"`).join(", ");
  const place = path === "" ? "a configuration" : `"${path}"`;
  return { key, message: `is not a known key; ${place} holds ${known}` };
}

/** A key that exists, but in another section. */
function keyElsewhere(name: string): string | undefined {
  const lines = listConfigKeys().filter((line) => !line.path.includes("<"));
  const lastNames = lines.map((line) => line.path.slice(line.path.lastIndexOf(".") + 1));
  const wanted = name.slice(name.lastIndexOf(".") + 1);
  const found = nearestName(name, lines.map((line) => line.path)) ??
    lines[lastNames.indexOf(wanted)]?.path;
  return found;
}

function checkRecord(
  path: string,
  value: Readonly<Record<string, unknown>>,
  record: RecordKey,
): readonly ConfigProblem[] {
  return Object.entries(value).flatMap(([name, item]) =>
    record.name.test(name)
      ? checkConfigValue(join(path, name), item, record.entry)
      : [{ key: join(path, keyName(name)), message: `must be ${record.expected}` }]
  );
}

function checkNumber(name: string, value: unknown, key: NumberKey): readonly ConfigProblem[] {
  const { minimum, maximum = Infinity } = key;
  const right = typeof value === "number" && value >= minimum && value <= maximum &&
    (key.type === "number" || Number.isSafeInteger(value));
  if (right) return [];
  const noun = key.type === "integer" ? "an integer" : "a number";
  const range = maximum === Infinity
    ? `of at least ${minimum}`
    : minimum === maximum
    ? `equal to ${minimum}`
    : `from ${minimum} to ${maximum}`;
  return [mustBe(name, `${noun} ${range}`, value)];
}

function checkText(name: string, value: unknown, key: TextKey): readonly ConfigProblem[] {
  if (value === null && key.nullable === true) return [];
  if (typeof value !== "string") return [mustBe(name, key.expected ?? "a text", value)];
  if (key.pattern === undefined || key.pattern.test(value)) return [];
  return [{ key: name, message: `must be ${key.expected ?? "another text"}` }];
}

function checkChoice(
  name: string,
  value: unknown,
  values: readonly string[],
): readonly ConfigProblem[] {
  if (typeof value !== "string") return [mustBe(name, oneOf(values), value)];
  if (values.includes(value)) return [];
  const nearest = nearestName(value, values);
  const message = `must be ${oneOf(values)}, found ${quoted(value, 40)}`;
  return [nearest === undefined ? { key: name, message } : { key: name, message, nearest }];
}

function checkUrl(name: string, value: unknown, key: UrlKey): readonly ConfigProblem[] {
  const expected = "an http:// or https:// address without embedded credentials";
  if (typeof value !== "string") return [mustBe(name, expected, value)];
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === "") {
    return [{ key: name, message: `must be ${expected}` }];
  }
  if (url.username !== "" || url.password !== "") {
    return [{ key: name, message: `must be ${expected}, found credentials in it` }];
  }
  if (key.httpsOnly === true && url.protocol === "http:" && !isLoopbackHost(url.hostname)) {
    return [{ key: name, message: "must be an https:// address, unless it is on this machine" }];
  }
  return [];
}

function checkList(name: string, value: unknown, key: ListKey): readonly ConfigProblem[] {
  if (key.single === true && typeof value === "string") return checkList(name, [value], key);
  if (!Array.isArray(value)) {
    const expected = key.single === true ? "a text or a list of texts" : "a list of texts";
    return [mustBe(name, expected, value)];
  }
  return value.flatMap((item: unknown, index): readonly ConfigProblem[] => {
    const path = `${name}[${index}]`;
    if (typeof item !== "string") return [mustBe(path, key.expected ?? "a text", item)];
    if (key.pattern === undefined || key.pattern.test(item)) return [];
    return [{ key: path, message: `must be ${key.expected ?? "another text"}` }];
  });
}

function checkFreeObject(
  path: string,
  value: Readonly<Record<string, unknown>>,
  key: FreeObjectKey,
): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = Object.keys(value)
    .filter((name) => !key.name.test(name))
    .map((name) => ({ key: join(path, keyName(name)), message: `must be ${key.expected}` }));
  const size = new TextEncoder().encode(JSON.stringify(value)).length;
  if (size > key.maxBytes) {
    problems.push({ key: path, message: `must hold at most ${key.maxBytes} bytes, found ${size}` });
  }
  return problems;
}

/** Whether a section is that of one MCP server, whose keys depend on each other. */
function isServer(section: SectionKey): boolean {
  return Object.hasOwn(section.keys, "command") && Object.hasOwn(section.keys, "url");
}

function checkServer(
  path: string,
  server: Readonly<Record<string, unknown>>,
): readonly ConfigProblem[] {
  const has = (name: string): boolean => Object.hasOwn(server, name);
  if (has("transport") && has("type")) {
    return [{ key: path, message: 'holds both "transport" and "type"; keep one of them' }];
  }
  const { transport = MCP_TYPES[String(server["type"])] } = server;
  const open = openSecrets(path, server["headers"]);
  if (open.length > 0) return open;
  if (transport === "stdio" && !has("command")) {
    return [{ key: path, message: 'needs "command" for the transport "stdio"' }];
  }
  if ((transport === "http" || transport === "sse") && !has("url")) {
    return [{ key: path, message: `needs "url" for the transport "${transport}"` }];
  }
  if (transport !== undefined) return [];
  if (!has("command") && !has("url")) return [{ key: path, message: 'needs "command" or "url"' }];
  return has("command") && has("url")
    ? [{ key: path, message: 'holds both "command" and "url"; name the "transport" that counts' }]
    : [];
}

/** A secret is in a variable, and the file names it. */
function openSecrets(path: string, headers: unknown): readonly ConfigProblem[] {
  return Object.entries(isObject(headers) ? headers : {}).flatMap(([name, value]) => {
    if (!isSecretName(name) || VARIABLE_REGEXP.test(String(value))) return [];
    return [{
      key: `${path}.headers.${keyName(name)}`,
      message: 'must name the variable that holds the secret, as in "Bearer ${MY_TOKEN}"',
    }];
  });
}

/** No entry may be there twice, under both spellings of its section. */
function checkAliases(value: Readonly<Record<string, unknown>>): readonly ConfigProblem[] {
  const servers = isObject(value["mcp"]) ? value["mcp"]["servers"] : undefined;
  return [
    ...checkAlias(value, "mcpServers", servers, "mcp.servers"),
    ...checkAlias(value, "risk_profiles", value["riskProfiles"], "riskProfiles"),
  ];
}

function checkAlias(
  value: Readonly<Record<string, unknown>>,
  alias: string,
  entries: unknown,
  section: string,
): readonly ConfigProblem[] {
  const aliased = value[alias];
  if (!isObject(entries) || !isObject(aliased)) return [];
  return Object.keys(aliased).filter((name) => Object.hasOwn(entries, name)).map((name) => ({
    key: join(alias, keyName(name)),
    message: `is also in "${section}"; keep one of them`,
  }));
}

function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((item) =>
      typeof item === "object" && item !== null ? Object.values(item) : []
    );
  }
  return false;
}

function mustBe(key: string, expected: string, value: unknown): ConfigProblem {
  return { key, message: `must be ${expected}, found ${kindOf(value)}` };
}

function kindOf(value: unknown): string {
  if (value === null || typeof value === "number" || typeof value === "boolean") {
    return String(value);
  }
  if (typeof value === "string") return value === "" ? "an empty text" : "a text";
  return Array.isArray(value) ? "a list" : "an object";
}

function oneOf(values: readonly string[]): string {
  const all = values.map((value) => `"${value}"`);
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} or ${all.at(-1)}`;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** A key's name as the file has it, escaped and cut so that a message stays readable. */
function keyName(name: string): string {
  return quoted(name).slice(1, -1);
}
