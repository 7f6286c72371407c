/**
 * A time for a person, in the time zone of this machine: `2026-12-01 04:05`.
 *
 * @param time Epoch milliseconds.
 */
export function formatTime(time: number): string {
  const date = new Date(time);
  const day = [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())];
  return `${day.join("-")} ${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

/**
 * Like {@linkcode formatTime}, to the second: `2026-12-01 04:05:06`.
 *
 * @param time Epoch milliseconds.
 */
export function formatSecond(time: number): string {
  return `${formatTime(time)}:${twoDigits(new Date(time).getSeconds())}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
