import { AlisioError } from "../core/errors.ts";

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const DURATION_REGEXP = /^(\d{1,6})([smhdw])$/;
const DATE_REGEXP =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Reads the flag `--since`: a time that has passed since (`90s`, `30m`, `2h`, `7d`, `4w`), or a
 * date, with or without a time, which is of this machine's time zone unless it names one.
 *
 * @param value The value of the flag.
 * @param now Epoch milliseconds.
 * @returns Epoch milliseconds.
 * @throws {AlisioError} `usage`.
 */
export function parseSince(value: string, now: number): number {
  const duration = DURATION_REGEXP.exec(value);
  if (duration !== null) {
    const [, count = "", unit = "s"] = duration;
    return now - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  }
  const time = parseDate(value);
  if (time !== undefined) return time;
  const form = "a duration such as 90s, 30m, 2h, 7d or 4w, or a date such as 2026-12-01 or " +
    "2026-12-01T08:00";
  throw new AlisioError("usage", `Flag "--since" needs ${form}, found "${value.slice(0, 80)}"`);
}

function parseDate(value: string): number | undefined {
  const parts = DATE_REGEXP.exec(value);
  if (parts === null) return undefined;
  const [, year, month, day, hour] = parts.map(Number);
  // A day that its month does not have would become one of the next.
  const lastDay = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate();
  if ((month ?? 0) > 12 || (day ?? 0) > lastDay || (hour ?? 0) > 23) return undefined;
  // A date alone would be taken for one of Greenwich.
  const time = Date.parse(value.includes("T") ? value : `${value}T00:00`);
  return Number.isNaN(time) ? undefined : time;
}
