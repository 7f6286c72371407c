import { definePlugin, textResult } from "@alisio/sdk";

const MAX_NOTE_CHARS = 2_000;
const MAX_FOUND = 20;
const MAX_SHOWN_AT_START = 5;

/** Notes that the model keeps and finds again, in a database of the plugin's own. */
export default definePlugin({
  id: "acme.notes",
  name: "Notes",
  description: "Keeps notes and finds them by their words",
  version: "0.1.0",
  apiVersion: 1,
  categories: ["memory", "storage"],
  setup(api) {
    const db = api.storage.sqlite("notes.sqlite");
    db.exec("CREATE VIRTUAL TABLE IF NOT EXISTS notes USING fts5 (text)");
    const add = db.prepare("INSERT INTO notes (text) VALUES (?)");
    const find = db.prepare("SELECT text FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT ?");
    const latest = db.prepare("SELECT text FROM notes ORDER BY rowid DESC LIMIT ?");
    const textsOf = (rows: ReturnType<typeof latest.all>) => rows.map(({ text }) => `- ${text}`);

    api.tools.register({
      name: "add_notes",
      description: "Keeps notes for later sessions: all of them, or none if one is too long.",
      effect: "external",
      inputSchema: {
        type: "object",
        properties: { notes: { type: "array", items: { type: "string" }, minItems: 1 } },
        required: ["notes"],
        additionalProperties: false,
      },
      execute({ notes }) {
        const texts = Array.isArray(notes) ? notes.map(String) : [];
        db.transaction(() => {
          for (const text of texts) {
            if (text.length > MAX_NOTE_CHARS) {
              throw new Error(`Cannot keep a note of ${text.length} characters: shorten it`);
            }
            add.run(text);
          }
        });
        return Promise.resolve(textResult(`Kept ${texts.length} notes`));
      },
    });

    api.tools.register({
      name: "find_notes",
      description: "Finds notes that hold all of the words.",
      effect: "read",
      inputSchema: {
        type: "object",
        properties: { words: { type: "string" } },
        required: ["words"],
        additionalProperties: false,
      },
      execute({ words }) {
        // Each word is quoted: what the model looks for is no query language.
        const quoted = String(words).split(/\s+/).filter((word) => word !== "")
          .map((word) => `"${word.replaceAll('"', '""')}"`).join(" ");
        const found = quoted === "" ? [] : textsOf(find.all(quoted, MAX_FOUND));
        return Promise.resolve(textResult(found.join("\n") || "No note holds all of these words"));
      },
    });

    api.session.onStart(() => {
      const texts = textsOf(latest.all(MAX_SHOWN_AT_START));
      return texts.length === 0 ? "" : ["The latest notes:", ...texts].join("\n");
    });

    api.commands.register("list", () => {
      const texts = textsOf(latest.all(MAX_FOUND));
      return Promise.resolve(texts.join("\n") || "There are no notes yet");
    }, { description: "Shows the latest notes" });
  },
});
