const HIDING_STYLE_REGEXP =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0*)?\s*(?:;|!|$)|font-size\s*:\s*0(?:\.0*)?(?:px|em|rem|pt|%)?\s*(?:;|!|$))/i;

/**
 * Whether an element says of itself that nobody sees it. A whole page never does, since it may be
 * hidden until its script runs.
 *
 * @param name The name of the element.
 * @param attribute Its attributes by name in lower case; null for one that it has not.
 */
export function isHidden(name: string, attribute: (name: string) => string | null): boolean {
  const tag = name.toLowerCase();
  if (tag === "body" || tag === "html") return false;
  return attribute("hidden") !== null ||
    attribute("aria-hidden")?.trim().toLowerCase() === "true" ||
    HIDING_STYLE_REGEXP.test(attribute("style") ?? "") ||
    (tag === "dialog" && attribute("open") === null);
}
