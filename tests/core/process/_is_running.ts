/**
 * Whether a process runs. One that has ended and only waits to be reaped does not.
 *
 * @param pid Its id.
 */
export function isRunning(pid: number): boolean {
  try {
    Deno.kill(pid, 0);
  } catch {
    return false;
  }
  if (Deno.build.os !== "linux") return true;
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
  } catch {
    return false;
  }
}
