import type { Skill } from "./skill.ts";

/**
 * Finds skills by words of their names and descriptions, without regard to case. Pure.
 *
 * @param skills The skills.
 * @param query The words.
 * @returns Those that hold a word, the ones that hold most words first; a word in the name counts
 * more than one in the description.
 */
export function searchSkills(skills: readonly Skill[], query: string): readonly Skill[] {
  const words = [...new Set(query.toLowerCase().split(/[^\p{L}\p{N}]+/u))].filter((it) =>
    it !== ""
  );
  return skills.map((skill) => ({ skill, score: scoreOf(skill, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.skill.name < b.skill.name ? -1 : 1))
    .map(({ skill }) => skill);
}

function scoreOf({ name, description }: Skill, words: readonly string[]): number {
  const text = description.toLowerCase();
  return words.reduce(
    (sum, word) => sum + (name.includes(word) ? 3 : 0) + (text.includes(word) ? 1 : 0),
    0,
  );
}
