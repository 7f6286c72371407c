/**
 * What names a file or folder whatever it is called: its device and its number there.
 *
 * @param path Its path.
 * @returns `null` if there is nothing, or the system does not tell.
 */
export async function fileIdentity(path: string): Promise<string | null> {
  try {
    const { dev, ino } = await Deno.stat(path);
    return ino === null || ino === 0 ? null : `${dev}:${ino}`;
  } catch {
    // Absent, or not this process's to look at.
    return null;
  }
}
