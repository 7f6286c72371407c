import type { AnswerStyle } from "@alisio/sdk";
import { isObject } from "../config/is_object.ts";
import { nearestName } from "../config/nearest_name.ts";
import { quoted } from "../config/quoted.ts";
import type { AgentDefinition, AgentMode, AgentPermission } from "./agent_definition.ts";
import { readAgentTools } from "./agent_tools.ts";

const MAX_TURNS = 500;
const COLOR_REGEXP = /^(?:#[0-9a-f]{6}|[a-z]+)$/i;

const KEYS: readonly string[] = [
  "name",
  "description",
  "tools",
  "disallowedTools",
  "model",
  "mode",
  "maxTurns",
  "steps",
  "maxSteps",
  "color",
  "permission",
  "hidden",
  "background",
  "skills",
  "readOnly",
  "read_only",
  "permissionMode",
  "alisio",
];

/** Names of models that mean one of the same family elsewhere. */
const FAMILY_NAMES: ReadonlySet<string> = new Set(["sonnet", "opus", "haiku"]);

/** Reads the fields of a definition one by one, and collects what is wrong with them. */
export class AgentFields {
  /** What is wrong, one sentence each. */
  readonly warnings: string[] = [];
  readonly #fields: Readonly<Record<string, unknown>>;
  #limitsCommands = false;

  /** @param fields The fields. */
  constructor(fields: Readonly<Record<string, unknown>>) {
    this.#fields = fields;
  }

  /** @param key A field that holds a text. */
  text(key: string): string | undefined {
    const value = this.#fields[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value === "string") return value.trim();
    if (typeof value === "number") return String(value);
    this.#warn(key, "is no text, so it is ignored");
    return undefined;
  }

  /** @param key A field that is true or false. */
  flag(key: string): boolean {
    const value = this.#fields[key];
    if (value === undefined || value === null) return false;
    if (typeof value === "boolean") return value;
    if (value === "true" || value === "false") return value === "true";
    // What should narrow must not be lost because it is misspelled.
    const counts = key === "readOnly" || key === "read_only";
    this.#warn(key, `is neither true nor false, so it counts as ${counts}`);
    return counts;
  }

  /** Whether it only looks, in any of the ways in which other programs say so. */
  readOnly(): boolean {
    const { permissionMode } = this.#fields;
    if (permissionMode !== undefined && permissionMode !== "plan") {
      this.#warn("permissionMode", 'is none that narrows, such as "plan", so it is ignored');
    }
    return [this.flag("readOnly"), this.flag("read_only"), permissionMode === "plan"]
      .includes(true);
  }

  /** @param key A field that holds names. */
  list(key: string): readonly string[] {
    return this.#list(key) ?? [];
  }

  /** Which tools it has, and which not. */
  tools(): Pick<AgentDefinition, "tools" | "disallowedTools"> {
    const value = this.#fields["tools"];
    const switches = isObject(value) ? this.#switches(value) : null;
    const listed = this.#list("disallowedTools") ?? [];
    const entries = listed.includes("*")
      ? []
      : switches === null
      ? this.#list("tools")
      : onlySwitchedOn(switches);
    const denied = [...listed, ...switches === null ? [] : switched(switches, false)];
    const only = entries === null ? null : readAgentTools(entries);
    const without = readAgentTools(denied.filter((name) => name !== "*"));
    for (const name of only?.unknown ?? []) {
      this.warnings.push(`"tools": there is nothing like ${quoted(name, 40)} here`);
    }
    if (only?.limitsCommands === true) {
      this.warnings.push(
        '"tools": commands cannot be limited to a pattern, so each one is asked about',
      );
      this.#limitsCommands = true;
    }
    return {
      tools: only === null || only.names.includes("*") ? null : only.names,
      disallowedTools: denied.some((name) => COMMANDS_REGEXP.test(name))
        ? [...new Set([...without.names, ...OTHER_COMMANDS])]
        : without.names,
    };
  }

  /** What it may do to files and which programs it may start; read after the tools. */
  permission(): AgentDefinition["permission"] {
    const own = this.#permission();
    return this.#limitsCommands ? { ...own, process: strictest(own.process, "ask") } : own;
  }

  #permission(): AgentDefinition["permission"] {
    const value = this.#fields["permission"];
    if (value === undefined || value === null) return {};
    if (!isObject(value)) {
      this.#warn("permission", 'is not written as "edit: ask", so everything is asked about');
      return { write: "ask", process: "ask" };
    }
    const found: { write?: AgentPermission; process?: AgentPermission } = {};
    const { "*": all, ...named } = value;
    for (const [key, rule] of Object.entries(named)) {
      const effect = Object.hasOwn(PERMISSION_KEYS, key) ? PERMISSION_KEYS[key] : undefined;
      if (effect === undefined) this.#warn(`permission.${key}`, "is not known, so it is ignored");
      else found[effect] = strictest(found[effect], this.#rule(`permission.${key}`, rule));
    }
    if (all === undefined) return found;
    const rule = this.#rule("permission.*", all);
    return { write: rule, process: rule, ...found };
  }

  /** Where it can be used. */
  mode(): AgentMode {
    const mode = this.text("mode") ?? "subagent";
    if (mode === "subagent" || mode === "primary" || mode === "all") return mode;
    this.#warn("mode", 'is none of "subagent", "primary" and "all", so it counts as "subagent"');
    return "subagent";
  }

  /** The model that it works with; undefined for the one in use. */
  model(): string | undefined {
    const model = this.text("model");
    if (model === undefined || model === "" || model === "inherit") return undefined;
    if (!FAMILY_NAMES.has(model.toLowerCase())) return model;
    this.#warn("model", `names a family, ${quoted(model, 20)}; the model in use does the work`);
    return undefined;
  }

  /** Most responses of one task. */
  turns(): number | undefined {
    const key = ["maxTurns", "steps", "maxSteps"].find((name) => this.#fields[name] !== undefined);
    if (key === undefined) return undefined;
    const turns = Number(this.#fields[key]);
    if (Number.isInteger(turns) && turns >= 1 && turns <= MAX_TURNS) return turns;
    this.#warn(key, `is no whole number from 1 to ${MAX_TURNS}, so it is ignored`);
    return undefined;
  }

  /** Its colour. */
  color(): string | undefined {
    const color = this.text("color");
    if (color === undefined || COLOR_REGEXP.test(color)) return color;
    this.#warn("color", "is no name of a colour and no #rrggbb, so it is ignored");
    return undefined;
  }

  /** What stands below `alisio`, which no other program reads. */
  product(): Pick<AgentDefinition, "displayName" | "effort" | "answer"> {
    const value = this.#fields["alisio"];
    if (value === undefined || value === null) return {};
    if (!isObject(value)) {
      this.#warn("alisio", "holds no fields, so it is ignored");
      return {};
    }
    const { displayName, reasoning } = value;
    const effort = isObject(reasoning) ? reasoning["effort"] : undefined;
    const answer = this.#answer(value);
    return withoutAbsent({
      displayName: typeof displayName === "string" ? displayName.trim() : undefined,
      effort: typeof effort === "string" ? effort.trim() : undefined,
      answer: Object.keys(answer).length === 0 ? undefined : answer,
    });
  }

  /** A word that no server takes would fail every request, so it is left out. */
  #answer(product: Readonly<Record<string, unknown>>): AnswerStyle {
    return withoutAbsent(Object.fromEntries(
      ANSWER_FIELDS.map(({ name, path, words }) => {
        const value = path.reduce<unknown>(
          (at, key) => isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined,
          product,
        );
        if (value === undefined || value === null) return [name, undefined];
        const word = words.find((each) => each === value);
        if (word === undefined) {
          const known = words.map((each) => `"${each}"`).join(", ");
          this.#warn(`alisio.${path.join(".")}`, `is none of ${known}, so it is ignored`);
        }
        return [name, word];
      }),
    ));
  }

  /** Adds a warning for each field that means nothing. */
  sayUnknown(): void {
    for (const key of Object.keys(this.#fields)) {
      if (KEYS.includes(key)) continue;
      const nearest = nearestName(key, KEYS);
      const advice = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
      this.warnings.push(`${quoted(key, 40)} is not known, so it is ignored${advice}`);
    }
  }

  /** Tools that are switched on or off; what is neither must not stand for one that is on. */
  #switches(tools: Readonly<Record<string, unknown>>): Readonly<Record<string, boolean>> {
    return Object.fromEntries(
      Object.entries(tools).map(([name, value]) => {
        if (typeof value === "boolean") return [name, value];
        if (value === "true" || value === "false") return [name, value === "true"];
        this.#warn(
          `tools.${quoted(name, 40).slice(1, -1)}`,
          "is neither true nor false, so it counts as false",
        );
        return [name, false];
      }),
    );
  }

  #rule(key: string, rule: unknown): AgentPermission {
    if (rule === "allow" || rule === "ask" || rule === "deny") return rule;
    this.#warn(
      key,
      isObject(rule)
        ? "has patterns, which are asked about one by one"
        : 'is none of "allow", "ask" and "deny", so it counts as "ask"',
    );
    return "ask";
  }

  #list(key: string): readonly string[] | null {
    const value = this.#fields[key];
    if (value === undefined || value === null) return null;
    if (typeof value === "string") return splitAgentTools(value);
    if (Array.isArray(value) && value.every((entry) => typeof entry === "string")) {
      return value.map((entry: string) => entry.trim()).filter((entry) => entry !== "");
    }
    // A list that cannot be read must not stand for every tool.
    this.#warn(key, "is no list of names, so it counts as an empty one");
    return [];
  }

  #warn(key: string, problem: string): void {
    this.warnings.push(`"${key}" ${problem}`);
  }
}

/** Names of what runs command lines in definitions for other agents. */
const COMMANDS_REGEXP = /^bash\b/i;
/** What else runs programs here; who is not to have the one is to have none of them. */
const OTHER_COMMANDS = ["bg_run", "plugin_install"] as const;

const ANSWER_FIELDS: readonly {
  readonly name: keyof AnswerStyle;
  readonly path: readonly string[];
  readonly words: readonly string[];
}[] = [
  {
    name: "reasoningSummary",
    path: ["reasoning", "summary"],
    words: ["auto", "concise", "detailed"],
  },
  { name: "verbosity", path: ["text", "verbosity"], words: ["low", "medium", "high"] },
  // A schema would have to stand in the definition too, so there is no "json_schema".
  { name: "format", path: ["text", "format", "type"], words: ["text", "json_object"] },
];

const PERMISSION_KEYS: Readonly<Record<string, "write" | "process" | undefined>> = {
  edit: "write",
  write: "write",
  bash: "process",
  process: "process",
};

const ORDER: readonly AgentPermission[] = ["allow", "ask", "deny"];

function strictest(first: AgentPermission | undefined, second: AgentPermission): AgentPermission {
  return first === undefined || ORDER.indexOf(first) < ORDER.indexOf(second) ? second : first;
}

/**
 * The names in a line. Commas in parentheses belong to a pattern.
 *
 * @param text Names with commas between them.
 */
export function splitAgentTools(text: string): readonly string[] {
  return text.split(/,(?![^(]*\))/).map((entry) => entry.trim()).filter((entry) => entry !== "");
}

/** Where every tool is off, those that are switched on are all there is. */
function onlySwitchedOn(tools: Readonly<Record<string, boolean>>): readonly string[] | null {
  return Object.hasOwn(tools, "*") && tools["*"] === false ? switched(tools, true) : null;
}

function switched(tools: Readonly<Record<string, boolean>>, on: boolean): readonly string[] {
  return Object.entries(tools).filter(([, isOn]) => isOn === on).map(([name]) => name);
}

/** Values without what is undefined. */
export type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/**
 * Leaves out what is undefined.
 *
 * @param values Named values.
 */
export function withoutAbsent<T extends object>(values: T): Present<T> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Present<T>;
}
