/** What a release says of one kind of change, by the type of its commits. */
const SECTIONS = [
  ["feat", "New"],
  ["fix", "Fixed"],
  ["perf", "Faster"],
] as const;

const SUBJECT_REGEXP = /^([a-z]+)(?:\(([^()]+)\))?(!)?: (.+)$/;

/** One change, as its commit names it. */
interface Change {
  readonly type: string;
  readonly scope?: string;
  readonly isBreaking: boolean;
  readonly text: string;
}

/**
 * Writes the notes of a release from the subjects of its commits. What changes nothing for a person
 * who uses it is left out: tests, documentation, refactoring and other chores.
 *
 * @param version The version, without a letter before it.
 * @param subjects The subjects, the oldest first.
 * @returns Markdown.
 */
export function formatNotes(version: string, subjects: readonly string[]): string {
  const changes = [...new Set(subjects)].flatMap(parseSubject);
  const breaking = changes.filter(({ isBreaking }) => isBreaking);
  const sections = [
    ...breaking.length === 0 ? [] : [formatSection("Changed in a way that breaks", breaking)],
    ...SECTIONS.flatMap(([type, title]) => {
      const those = changes.filter((change) => change.type === type && !change.isBreaking);
      return those.length === 0 ? [] : [formatSection(title, those)];
    }),
  ];
  const body = sections.length === 0 ? ["Nothing that a user would notice.\n"] : sections;
  return [`# Alisio ${version}\n`, ...body].join("\n");
}

function parseSubject(subject: string): readonly Change[] {
  const [, type, scope, mark, text] = SUBJECT_REGEXP.exec(subject) ?? [];
  if (type === undefined || text === undefined) return [];
  return [{ type, ...(scope === undefined ? {} : { scope }), isBreaking: mark === "!", text }];
}

function formatSection(title: string, changes: readonly Change[]): string {
  const lines = changes.toSorted((a, b) => compare(a.scope ?? "", b.scope ?? ""))
    .map(({ scope, text }) => {
      const sentence = text.charAt(0).toUpperCase() + text.slice(1);
      return `- ${scope === undefined ? "" : `**${escaped(scope)}**: `}${escaped(sentence)}\n`;
    });
  return `## ${title}\n\n${lines.join("")}`;
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** A subject is text: nothing in it is meant as HTML or emphasis. */
function escaped(text: string): string {
  return text.replaceAll(/[\\<*_[\]]/g, "\\$&");
}
