import type { Verdict } from "../../core/gate/policy.ts";
import type { Theme } from "../theme/theme.ts";
import { fitParts, type RowPart } from "./fit_parts.ts";
import type { StatusFacts } from "./status_facts.ts";

/** In a lower window, one row has to do. */
const MIN_ROWS_FOR_TWO = 20;

/**
 * The rows above the conversation: what works here, on what, and what it may do.
 *
 * @param facts What they tell.
 * @param theme The colours.
 * @param size The window.
 */
export function headerRows(
  facts: StatusFacts,
  theme: Theme,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): readonly string[] {
  const separator = theme.paint("dim", ` ${theme.glyph("separator")} `);
  const first = fitParts(whatRuns(facts, theme), separator, columns);
  if (rows < MIN_ROWS_FOR_TWO) return [first];
  return [first, fitParts(whereAndHow(facts, theme), separator, columns)];
}

function whatRuns(
  { version, model, provider, effort, cwd, branch }: StatusFacts,
  theme: Theme,
): readonly RowPart[] {
  return [
    { text: theme.bold(`Alisio Code ${version}`), priority: 4 },
    { text: model === undefined ? "" : theme.bold(theme.paint("accent", model)), priority: 5 },
    { text: provider === undefined ? "" : theme.paint("provider", provider), priority: 1 },
    {
      text: effort === undefined ? "" : theme.paint("warning", `effort:${effort}`),
      priority: 0,
    },
    { text: theme.paint("dim", cwd), priority: 3 },
    {
      text: branch === undefined ? "" : theme.paint("dim", `${theme.glyph("branch")} ${branch}`),
      priority: 2,
    },
  ];
}

function whereAndHow(
  { host, apiMode, session, verdicts, mcp, mode }: StatusFacts,
  theme: Theme,
): readonly RowPart[] {
  const plain = (text: string | undefined, priority: number): RowPart => ({
    text: text === undefined ? "" : theme.paint("dim", text),
    priority,
  });
  return [
    plain(host, 2),
    plain(apiMode, 1),
    plain(session, 3),
    ...(mode === "read-only"
      ? [{ text: theme.paint("success", "read-only"), priority: 6 }]
      : verdicts === undefined
      ? []
      : [
        chip("write", verdicts.write, 5, theme),
        chip("process", verdicts.process, 5, theme),
        chip("external", verdicts.external, 4, theme),
      ]),
    ...(mcp === undefined || mode === "read-only"
      ? []
      : [{ text: theme.paint(mcp === "on" ? "warning" : "dim", `mcp:${mcp}`), priority: 4 }]),
    plain(mode === "" ? undefined : `mode:${mode}`, 6),
  ];
}

/** What goes on without a question is what one should notice. */
function chip(effect: string, verdict: Verdict, priority: number, theme: Theme): RowPart {
  switch (verdict) {
    case "allow":
      return { text: theme.paint("warning", `${effect}:on`), priority };
    case "ask":
      return { text: theme.paint("dim", `${effect}:ask`), priority };
    case "deny":
      return { text: theme.paint("dim", `${effect}:off`), priority };
  }
}
