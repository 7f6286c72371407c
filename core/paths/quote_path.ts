const MAX_QUOTED_CHARACTERS = 300;

/**
 * Quotes a path for a message: control characters escaped, and never longer than a few lines.
 *
 * @param path Any path or name.
 */
export function quotePath(path: string): string {
  const characters = [...path];
  if (characters.length <= MAX_QUOTED_CHARACTERS) return JSON.stringify(path);
  const half = MAX_QUOTED_CHARACTERS / 2;
  const start = characters.slice(0, half).join("");
  const end = characters.slice(-half).join("");
  return JSON.stringify(`${start}…${end}`);
}
