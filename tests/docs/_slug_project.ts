const TEST = `import { slug } from "./slug.ts";

Deno.test("slug() keeps letters with accents", () => {
  if (slug("Crème brûlée") !== "creme-brulee") throw new Error(slug("Crème brûlée"));
});
`;

const FUNCTION = `/** Turns a title into the last part of an address. */
export function slug(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}
`;

const OLD_TEXT = "return title.toLowerCase()";
const NEW_TEXT = String.raw`return title.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase()`;

const LOOK_AND_CHANGE = [
  {
    text: "I look at the function and where it is used.",
    calls: [
      { name: "search_text", arguments: { pattern: "slug(", literal: true } },
      { name: "read_file", arguments: { path: "slug.ts" } },
    ],
  },
  {
    text: "The pattern knows no accents, so I take them off first.",
    calls: [
      {
        name: "edit_file",
        arguments: {
          path: "slug.ts",
          oldText: OLD_TEXT,
          newText: NEW_TEXT,
          expectedHash: "{{last:read_file.sha256}}",
        },
      },
      { name: "run_process", arguments: { command: "deno", args: ["test", "--quiet"] } },
    ],
  },
];

const FIXED = `Done: slug() in slug.ts takes accents off before it looks at letters.
"deno test" passes.`;

const NOT_FIXED = `slug() in slug.ts, line 3, takes an accented letter for a separator.
Nothing is changed, because this run may not edit files. To mend it, take the accents
off first: title.normalize("NFD").replaceAll(/\\p{M}/gu, "").`;

/** A small project with a bug, and two scripted models that are asked to mend it. */
export const SLUG_PROJECT: Readonly<Record<string, string>> = {
  "slug.ts": FUNCTION,
  "slug_test.ts": TEST,
  "fix.json": JSON.stringify({
    turns: [...LOOK_AND_CHANGE, { text: FIXED }, { text: "Only slug.ts." }],
  }),
  "look.json": JSON.stringify({ turns: [...LOOK_AND_CHANGE, { text: NOT_FIXED }] }),
};
