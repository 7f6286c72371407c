const LABEL_REGEXP = /"[^"]*"|\[[^\]]*\]|\([^)]*\)|\{[^}]*\}|\|[^|]*\|/g;
const FLOW_LINK_REGEXP = /[<ox]?[-=~.]{2,}(?:[>ox]|(?=\s|$))?|&|;/g;
const FLOW_WORD_REGEXP =
  /^(?:end|direction|classDef|class|style|linkStyle|click|accTitle|accDescr)\b/;
const SEQUENCE_REGEXP =
  /^\s*([^\s:,;]+(?: [^\s:,;]+)*?)\s*<?<?-{1,2}(?:>>?|x|\))\s*[+-]?([^:]+?)\s*:/;
const SEQUENCE_NAME_REGEXP = /^\s*(?:create\s+)?(?:participant|actor)\s+(\S+)/;
const STATE_LINK_REGEXP = /^\s*(\S+)\s*-->\s*([^\s:]+)/;
const STATE_NAME_REGEXP = /^\s*state\s+(?:"[^"]*"\s+as\s+)?([^\s{<]+)/;
const ENTITY_REGEXP =
  /^\s*("[^"]*"|[^\s{}:]+)\s+[|}o][|o]?(?:--|\.\.)[|o]?[|{o]\s+("[^"]*"|[^\s{}:]+)/;
const ENTITY_NAME_REGEXP = /^\s*("[^"]*"|[^\s{}:[]+)\s*(?:\[[^\]]*\]\s*)?\{/;
const CLASS_LINK_REGEXP =
  /^\s*(`[^`]+`|[^\s:"]+)\s*(?:"[^"]*"\s*)?[<*o()|]*(?:--|\.\.)[>*o()|]*\s*(?:"[^"]*"\s*)?(`[^`]+`|[^\s:"]+)/;
const CLASS_NAME_REGEXP = /^\s*(?:class\s+)(`[^`]+`|[^\s:{~[]+)/;

/**
 * How many things a diagram shows at most, without drawing it. Pure: an estimate that is rather too
 * high than too low.
 *
 * @param syntax The keyword that it begins with.
 * @param lines What follows the keyword, without comments.
 */
export function countNodes(syntax: string, lines: readonly string[]): number {
  switch (syntax) {
    case "flowchart":
    case "graph":
      return flowNodes(lines);
    case "sequenceDiagram":
      return sequenceNodes(lines);
    case "stateDiagram":
    case "stateDiagram-v2":
      return names(lines, [STATE_LINK_REGEXP, STATE_NAME_REGEXP]).size;
    case "erDiagram":
      return names(lines, [ENTITY_REGEXP, ENTITY_NAME_REGEXP]).size;
    case "classDiagram":
      return names(lines, [CLASS_LINK_REGEXP, CLASS_NAME_REGEXP]).size;
    case "timeline":
      return filled(lines).reduce((sum, line) => sum + line.split(" : ").length, 0);
    default:
      // Every line of a mind map, of a journey and of a Gantt chart is at most one thing.
      return filled(lines).length;
  }
}

function flowNodes(lines: readonly string[]): number {
  const found = new Set<string>();
  let groups = 0;
  for (const line of lines) {
    const bare = line.replace(LABEL_REGEXP, " ").trim();
    if (bare.startsWith("subgraph")) groups++;
    if (bare.startsWith("subgraph") || FLOW_WORD_REGEXP.test(bare)) continue;
    for (const part of bare.split(FLOW_LINK_REGEXP)) {
      const [id = ""] = part.trim().split(/:::|@|\s/);
      if (id !== "") found.add(id);
    }
  }
  return found.size + groups;
}

function sequenceNodes(lines: readonly string[]): number {
  const found = names(lines, [SEQUENCE_NAME_REGEXP, SEQUENCE_REGEXP]);
  return found.size + lines.filter((line) => SEQUENCE_REGEXP.test(line)).length;
}

function names(lines: readonly string[], patterns: readonly RegExp[]): ReadonlySet<string> {
  const found = lines.flatMap((line) =>
    patterns.flatMap((pattern) => (pattern.exec(line) ?? []).slice(1))
  );
  return new Set(found.filter((name) => name !== undefined && name !== ""));
}

function filled(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line.trim() !== "");
}
