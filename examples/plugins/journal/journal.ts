import { definePlugin, textResult } from "@alisio/sdk";

const MAX_ENTRIES = 20;
const MAX_ENTRY_CHARS = 500;
const SHOWN_AFTERWARDS = 5;

/**
 * A journal of a project: whenever a long conversation is summarised, the decisions in it are
 * written into a database of the plugin's own, and the latest stand behind the summary.
 */
export default definePlugin({
  id: "acme.journal",
  name: "Journal",
  description: "Keeps the decisions of long conversations",
  version: "0.1.0",
  apiVersion: 1,
  categories: ["memory", "storage"],
  setup(api) {
    const db = api.storage.sqlite("journal.sqlite");
    db.exec(`CREATE TABLE IF NOT EXISTS decisions (
      id INTEGER PRIMARY KEY, session TEXT NOT NULL, text TEXT NOT NULL UNIQUE)`);
    const add = db.prepare("INSERT OR IGNORE INTO decisions (session, text) VALUES (?, ?)");
    const latest = db.prepare("SELECT text FROM decisions ORDER BY id DESC LIMIT ?");
    const lines = (count: number) =>
      latest.all(count).map(({ text }) => `- ${text}`).reverse().join("\n");

    api.compaction.register({
      beforeCompact: () => ({
        instructions: "A decision is what was chosen for good, with its reason.",
        outputFields: { decisions: "list of short texts: each decision and its reason" },
      }),
      afterCompact({ sessionId, extracted }) {
        // A model wrote it, so it may be anything.
        const found = Array.isArray(extracted.decisions) ? extracted.decisions : [];
        const texts = found.filter((each): each is string => typeof each === "string")
          .map((text) => text.trim().slice(0, MAX_ENTRY_CHARS)).filter((text) => text !== "")
          .slice(0, MAX_ENTRIES);
        db.transaction(() => {
          for (const text of texts) add.run(sessionId, text);
        });
        const shown = lines(SHOWN_AFTERWARDS);
        return {
          ...(shown === "" ? {} : { injectContext: `Decisions in this project:\n${shown}` }),
          report: { summary: `${texts.length} decisions kept` },
        };
      },
    });

    api.tools.register({
      name: "read_journal",
      description: "Reads the latest decisions in this project.",
      effect: "read",
      inputSchema: { type: "object", properties: {}, additionalProperties: false },
      execute: () => Promise.resolve(textResult(lines(MAX_ENTRIES) || "No decisions yet")),
    });
  },
});
