import type { Glyph, Role } from "../theme/theme.ts";
import { formatDuration } from "../text/format_duration.ts";
import { layoutTable } from "../text/layout_table.ts";
import { type Line, lineOf, span } from "../text/span.ts";
import { wrapWords } from "../text/wrap.ts";
import {
  type BlockLook,
  captionRows,
  cellOf,
  type Facts,
  factsOf,
  labelOf,
  listOf,
  MalformedBlockError,
  MAX_ITEMS,
  moreRows,
  optionalLabel,
  optionalNumber,
} from "./block_facts.ts";

/** Failures whose messages are shown below the table. */
const MAX_FAILURES = 20;

interface Look {
  readonly glyph: Glyph;
  readonly role: Role;
}

const STEPS: Readonly<Record<string, Look>> = {
  pending: { glyph: "pending", role: "dim" },
  running: { glyph: "running", role: "accent" },
  done: { glyph: "ok", role: "success" },
  completed: { glyph: "ok", role: "success" },
  failed: { glyph: "failed", role: "error" },
  cancelled: { glyph: "skipped", role: "warning" },
  skipped: { glyph: "skipped", role: "dim" },
};

const CASES: Readonly<Record<string, Look>> = {
  passed: { glyph: "ok", role: "success" },
  failed: { glyph: "failed", role: "error" },
  skipped: { glyph: "skipped", role: "dim" },
};

interface TestCase {
  readonly suite: string;
  readonly name: string;
  readonly status: string;
  readonly look: Look;
  readonly durationMs: number | undefined;
  readonly message: unknown;
}

/**
 * Rows of a `progress` block: a step each.
 *
 * @param block The block.
 * @param look What it is drawn with.
 * @throws {MalformedBlockError} If it is none.
 */
export function progressRows(block: Facts, look: BlockLook): readonly Line[] {
  const steps = listOf(block.steps).map(factsOf);
  const shown = steps.slice(0, MAX_ITEMS);
  return [
    ...titleRows(block.title, look),
    ...shown.flatMap((step) => {
      const { glyph, role } = lookOf(STEPS, step.status);
      const detail = optionalLabel(step.detail);
      return wrapWords([
        span(`${look.theme.glyph(glyph)} `, role),
        span(labelOf(step.label)),
        ...(detail === undefined ? [] : [span(` ${detail}`, "dim")]),
      ], look.width);
    }),
    ...moreRows(steps.length - shown.length, "steps", look),
  ];
}

/**
 * Rows of a `test-results` block: a table of the cases, then why some failed.
 *
 * @param block The block.
 * @param look What it is drawn with.
 * @throws {MalformedBlockError} If it is none.
 */
export function testResultRows(block: Facts, look: BlockLook): readonly Line[] {
  const cases = listOf(block.suites).map(factsOf).flatMap(casesOf);
  // What failed is never what a limit leaves out.
  const ordered = cases.length <= MAX_ITEMS
    ? cases
    : cases.toSorted((a, b) => rankOf(a) - rankOf(b));
  const shown = ordered.slice(0, MAX_ITEMS);
  const head = ["Suite", "Case", "Status", "Time"].map((name) => [lineOf(name)]);
  return [
    summaryLine(block, cases),
    ...layoutTable(
      { head, rows: shown.map((each) => cellsOfCase(each, look)) },
      look.theme,
      look.width,
    ),
    ...moreRows(cases.length - shown.length, "cases", look),
    ...failureRows(cases, look),
    ...captionRows(block.caption, look.width),
  ];
}

function casesOf(suite: Facts): readonly TestCase[] {
  const name = labelOf(suite.name);
  return listOf(suite.cases).map(factsOf).map((each) => ({
    suite: name,
    name: labelOf(each.name),
    status: labelOf(each.status),
    look: lookOf(CASES, each.status),
    durationMs: optionalNumber(each.durationMs),
    message: each.message,
  }));
}

function cellsOfCase(each: TestCase, { theme }: BlockLook): readonly (readonly Line[])[] {
  const time = each.durationMs === undefined ? "" : formatDuration(each.durationMs);
  const { glyph, role } = each.look;
  return [
    [lineOf(each.suite)],
    [lineOf(each.name)],
    [lineOf(`${theme.glyph(glyph)} ${each.status}`, role)],
    [lineOf(time, "dim")],
  ];
}

function summaryLine(block: Facts, cases: readonly TestCase[]): Line {
  const count = (status: string) => cases.filter((each) => each.status === status).length;
  const counts = ["passed", "failed", "skipped"].map((status) => [count(status), status] as const)
    .filter(([number]) => number > 0)
    .map(([number, status]) => `${number} ${status}`);
  const framework = optionalLabel(block.framework);
  const durationMs = optionalNumber(block.durationMs);
  const facts = [
    ...(framework === undefined ? [] : [framework]),
    counts.length === 0 ? "no cases" : counts.join(", "),
    ...(durationMs === undefined ? [] : [formatDuration(durationMs)]),
  ];
  return lineOf(facts.join(" · "), count("failed") > 0 ? "error" : "success");
}

function failureRows(cases: readonly TestCase[], look: BlockLook): readonly Line[] {
  const failures = cases.filter(({ status, message }) =>
    status === "failed" && typeof message === "string"
  );
  return [
    ...failures.slice(0, MAX_FAILURES).flatMap((
      { suite, name, look: { glyph, role }, message },
    ) => [
      [],
      ...wrapWords(lineOf(`${look.theme.glyph(glyph)} ${suite}: ${name}`, role), look.width),
      ...cellOf(message).flatMap((line) => wrapWords(line, look.width)),
    ]),
    ...moreRows(failures.length - MAX_FAILURES, "failures", look),
  ];
}

function titleRows(title: unknown, look: BlockLook): readonly Line[] {
  const text = optionalLabel(title);
  return text === undefined ? [] : wrapWords([{ text, role: "heading", bold: true }], look.width);
}

function lookOf(looks: Readonly<Record<string, Look>>, status: unknown): Look {
  const look = typeof status === "string" && Object.hasOwn(looks, status)
    ? looks[status]
    : undefined;
  if (look !== undefined) return look;
  throw new MalformedBlockError("Cannot read block: a status is not known");
}

function rankOf({ status }: TestCase): number {
  return status === "failed" ? 0 : status === "skipped" ? 1 : 2;
}
