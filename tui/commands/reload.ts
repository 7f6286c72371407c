import type { Application } from "../../core/application.ts";
import { isObject } from "../../core/config/is_object.ts";
import { errorMessage } from "../../core/errors.ts";
import type { Stage } from "../stage.ts";
import { reopenKeepingChoices } from "./reopen.ts";

/** What there is of one kind: by name, something that differs when it has changed. */
export type Area = ReadonlyMap<string, string>;

/** What counts from one reload to the next, by kind. */
export type Snapshot = Readonly<Record<"config" | "mcp" | "plugins", Area>>;

/** How many there are of what is looked for in folders at each use, so that it never lags behind. */
export type Found = Readonly<Record<"agents" | "skills" | "prompts", number>>;

/** Longer lists are counted, not named. */
const MAX_NAMED = 5;

/**
 * Opens the application anew, and says what differs. Whatever goes wrong leaves the conversation as
 * it was.
 *
 * @param stage The conversation.
 */
export async function reload(stage: Stage): Promise<void> {
  if (stage.panels.questions > 0) {
    return stage.say("Cannot reload: a question waits for your answer; answer it first", "warning");
  }
  const before = takeSnapshot(stage.application);
  try {
    await reopenKeepingChoices(stage);
  } catch (error) {
    return stage.say(
      `Cannot reload, and the session goes on as it was: ${errorMessage(error)}`,
      "error",
    );
  }
  const after = takeSnapshot(stage.application);
  stage.say(formatReload(before, after, await countFound(stage.application)), "success");
}

/**
 * What a reload has changed, one line for each kind. Pure.
 *
 * @param before What there was.
 * @param after What there is.
 * @param found What is looked for at each use.
 */
export function formatReload(before: Snapshot, after: Snapshot, found: Found): string {
  // A module that was imported once stays what it was.
  const kept = [...after.plugins.keys()].filter((id) => before.plugins.has(id));
  return [
    "Reloaded; what was allowed for the session is forgotten",
    formatArea("config", before.config, after.config),
    ...Object.entries(found).map(([name, count]) => `${name}: ${count}, looked for at each use`),
    formatArea("mcp", before.mcp, after.mcp),
    formatArea("plugins", before.plugins, after.plugins),
    ...kept.length === 0 ? [] : [`Restart to load changed code of: ${formatNames(kept)}`],
  ].join("\n");
}

function formatArea(name: string, before: Area, after: Area): string {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  const added = names.filter((each) => !before.has(each));
  const removed = names.filter((each) => !after.has(each));
  const changed = names.filter((each) =>
    before.has(each) && after.has(each) && before.get(each) !== after.get(each)
  );
  const parts = [["added", added], ["removed", removed], ["changed", changed]] as const;
  const told = parts.filter(([, list]) => list.length > 0)
    .map(([word, list]) => `${word} ${formatNames(list)}`);
  const count = before.size === after.size ? `${after.size}` : `${before.size} → ${after.size}`;
  return `${name}: ${count}${told.length === 0 ? ", unchanged" : `; ${told.join("; ")}`}`;
}

function formatNames(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function takeSnapshot(application: Application): Snapshot {
  const { configuration, layers } = application.loaded;
  const set = layers.filter(({ source }) => source.file !== undefined)
    .flatMap(({ values }) => leavesOf(values, ""));
  return {
    config: new Map(set),
    mcp: areaOf(configuration.mcp.servers),
    plugins: new Map(application.plugins().map(({ plugin }) => [plugin.id, plugin.version])),
  };
}

async function countFound(application: Application): Promise<Found> {
  const [{ agents }, { skills }, { templates }] = await Promise.all([
    application.agents.list(),
    application.listSkills(),
    application.listPromptTemplates(),
  ]);
  return { agents: agents.length, skills: skills.length, prompts: templates.length };
}

function areaOf(entries: unknown): Area {
  return new Map(
    isObject(entries)
      ? Object.entries(entries).map(([name, entry]) => [name, JSON.stringify(entry)])
      : [],
  );
}

/** Every value that a file sets, by its path. */
function leavesOf(value: unknown, path: string): readonly (readonly [string, string])[] {
  if (!isObject(value)) return [[path, JSON.stringify(value)]];
  return Object.entries(value)
    .flatMap(([name, inner]) => leavesOf(inner, path === "" ? name : `${path}.${name}`));
}
