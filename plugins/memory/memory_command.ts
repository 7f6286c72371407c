import type { MemoryStore } from "./memory_store.ts";
import { type Observation, oneLine } from "./observation.ts";

const SHOWN = 15;
const LINE_CHARS = 100;
const USAGE = "Usage: /memory [words] | show <id> | pin <id> | unpin <id> | forget <id>";

/**
 * Answers `/memory`.
 *
 * @param args What stands behind it.
 * @param store What is remembered.
 * @param project Id of the project.
 */
export function answerMemoryCommand(args: string, store: MemoryStore, project: string): string {
  const text = args.trim();
  if (text === "") return overview(store, project);
  const { verb, rest = "" } = /^(?<verb>show|pin|unpin|forget)(?:\s+(?<rest>.*))?$/s.exec(text)
    ?.groups ?? {};
  if (verb === undefined) return found(text, store, project);
  // Somebody may look for these very words.
  if (!/^\d{1,15}$/.test(rest)) return USAGE;
  return act(verb, Number(rest), store, project);
}

function overview(store: MemoryStore, project: string): string {
  const counts = store.counts(project);
  const heading = `${counts.project} of project ${project}, ${counts.personal} personal`;
  const recent = store.list(project, SHOWN);
  return [heading, ...recent.map(line)].join("\n");
}

function found(query: string, store: MemoryStore, project: string): string {
  const search = { query, project, limit: SHOWN } as const;
  const all = store.search({ ...search, match: "all" });
  const hits = all.length > 0 ? all : store.search({ ...search, match: "any" });
  return hits.length === 0 ? `Nothing is remembered of "${oneLine(query, LINE_CHARS)}"` : hits
    .map(line).join("\n");
}

function act(verb: string, id: number, store: MemoryStore, project: string): string {
  const missing = `There is no observation ${id} in this project`;
  switch (verb) {
    case "show": {
      const observation = store.read(id, project);
      return observation === undefined ? missing : whole(observation);
    }
    case "forget":
      return store.forget(id, project, false) ? `Observation ${id} is forgotten` : missing;
    default: {
      const isPinned = verb === "pin";
      if (!store.pin(id, project, isPinned)) return missing;
      return `Observation ${id} is ${isPinned ? "pinned" : "no longer pinned"}`;
    }
  }
}

function line({ id, type, title, isPinned }: Observation): string {
  return `#${id} ${type}${isPinned ? " (pinned)" : ""}: ${oneLine(title, LINE_CHARS)}`;
}

function whole(observation: Observation): string {
  const { scope, topicKey, revisions, duplicates, content, updatedAt } = observation;
  const facts = [
    `scope ${scope}`,
    ...(topicKey === undefined ? [] : [`topic ${topicKey}`]),
    `revision ${revisions}`,
    `seen ${duplicates} time(s)`,
    `changed ${new Date(updatedAt).toISOString()}`,
  ];
  return [line(observation), facts.join(", "), "", content].join("\n");
}
