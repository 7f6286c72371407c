import assert from "node:assert/strict";
import { searchSkills } from "../../../core/skills/search_skills.ts";
import type { Skill } from "../../../core/skills/skill.ts";
import { projectSkillFolders, skillRoots } from "../../../core/skills/skill_roots.ts";
import { formatSkills, MAX_CATALOG_CHARS, skillNotices } from "../../../core/skills/skills_text.ts";

function skill(name: string, description: string, more: Partial<Skill> = {}): Skill {
  return {
    name,
    description,
    scope: "user",
    folder: `/s/${name}`,
    path: `/s/${name}/SKILL.md`,
    bytes: 4,
    tokens: 1,
    enabled: true,
    locked: false,
    ...more,
  };
}

Deno.test("formatSkills() names what may be used, by name and on one line each", () => {
  const text = formatSkills([
    skill("b", "Second\n  \u001b[31mline"),
    skill("a", "First"),
    skill("off", "x", { enabled: false }),
    skill("a", "x", { shadowedBy: "/other" }),
  ]);
  assert.match(text ?? "", /^# Skills\n\n[^\n]+\n\n- a: First\n- b: Second \\x1b\[31mline$/);
  assert.equal(formatSkills([skill("off", "x", { enabled: false })]), null);
});

Deno.test("formatSkills() shortens descriptions first, then counts what does not fit", () => {
  const many = (count: number, length: number) =>
    Array.from({ length: count }, (_, at) => skill(`s${at}`, "x".repeat(length)));
  const shortened = formatSkills(many(60, 1_000)) ?? "";
  assert.ok(shortened.length < MAX_CATALOG_CHARS + 500);
  assert.match(shortened, /\n- s59: x{160}…/);
  assert.doesNotMatch(shortened, /more/);
  const counted = formatSkills(many(500, 1_000)) ?? "";
  assert.ok(counted.length < MAX_CATALOG_CHARS + 500);
  assert.match(counted, /\n- and 4\d\d more, which skill_search finds$/);
});

Deno.test("skillNotices() names a few of those that are left out", () => {
  const error = (at: number) =>
    ({ path: `/s/${at}/SKILL.md`, severity: "error", message: "it is empty" }) as const;
  const listing = {
    skills: [],
    diagnostics: [
      { path: "/s/w", severity: "warning" as const, message: "x" },
      ...Array.from({ length: 7 }, (_, at) => error(at)),
    ],
  };
  const notices = skillNotices(listing);
  assert.equal(notices[0], 'Left out skill "/s/0/SKILL.md": it is empty');
  assert.deepEqual(notices.slice(5), ['Left out 2 more skills; see "alisio skills validate"']);
});

Deno.test("searchSkills() ranks by words, those of the name first", () => {
  const skills = [
    skill("pdf", "Fill in forms"),
    skill("review", "Reviews code, PDF too"),
    skill("release", "Publish"),
  ];
  const found = (query: string) => searchSkills(skills, query).map(({ name }) => name);
  assert.deepEqual(found("PDF"), ["pdf", "review"]);
  assert.deepEqual(found("code pdf review"), ["review", "pdf"]);
  assert.deepEqual(found("nothing"), []);
  assert.deepEqual(found(" ,;"), []);
});

Deno.test("skillRoots() begins in the directory that is worked in, if the project is trusted", () => {
  const sources = {
    configHome: "/c",
    home: "/h",
    root: "/r",
    cwd: "/r/a",
    configured: ["/x"],
    plugins: [{ plugin: "acme.p", path: "/p" }],
  };
  const rest = ["/x", "/h/.agents/skills", "/c/skills", "/p"];
  const paths = (trusted: boolean) => skillRoots({ ...sources, trusted }).map(({ path }) => path);
  assert.deepEqual(paths(false), rest);
  assert.deepEqual(paths(true), [...projectSkillFolders("/r", "/r/a"), ...rest]);
  assert.deepEqual(projectSkillFolders("/r", "/r/a"), [
    "/r/a/.agents/skills",
    "/r/a/.alisio/skills",
    "/r/a/.claude/skills",
    "/r/.agents/skills",
    "/r/.alisio/skills",
    "/r/.claude/skills",
  ]);
});
