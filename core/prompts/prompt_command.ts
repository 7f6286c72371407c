/** A prompt that begins with a slash and a name. */
export type PromptCommand =
  | { readonly kind: "skill"; readonly name: string; readonly args: string }
  | { readonly kind: "template"; readonly name: string; readonly args: string };

const SKILL_REGEXP = /^\/skill:(\S*)(?:\s+([\s\S]*))?$/;
const TEMPLATE_REGEXP = /^\/([a-z0-9][a-z0-9-]{0,40})(?:\s+([\s\S]*))?$/;

/**
 * Reads a prompt that may name a skill, as `/skill:<name> <request>`, or a template, as
 * `/<name> <arguments>`. Pure.
 *
 * @param prompt What the person typed.
 * @returns Null if it does neither. Whether there is such a template is another matter; the name of
 * a skill is empty where none was typed.
 */
export function parsePromptCommand(prompt: string): PromptCommand | null {
  const typed = prompt.trim();
  const [, skill, request = ""] = SKILL_REGEXP.exec(typed) ?? [];
  if (skill !== undefined) return { kind: "skill", name: skill, args: request };
  const [, template, args = ""] = TEMPLATE_REGEXP.exec(typed) ?? [];
  return template === undefined ? null : { kind: "template", name: template, args };
}
