import { runQuietly } from "./run_quietly.ts";

interface HeldLink {
  readonly target: string;
  /** Commands that run. */
  readonly users: number;
}

/**
 * Links among the names that no command may change. Bubblewrap holds where they lead and cannot
 * hold the link itself, so one that a command has exchanged is put back.
 */
export class FixedLinks {
  readonly #held = new Map<string, HeldLink>();

  /**
   * Notes which names are links before a command starts.
   *
   * @param names Absolute paths, whatever is there.
   * @returns Puts back what is no longer the same link.
   */
  async hold(names: readonly string[]): Promise<() => Promise<void>> {
    const found = await Promise.all(names.map(async (name) => {
      // A command that runs may have exchanged it already.
      const target = this.#held.get(name)?.target ?? await targetOf(name);
      return target === null ? [] : [{ name, target }];
    }));
    // What is around the others first.
    const links = found.flat().sort((a, b) => a.name.length - b.name.length);
    for (const { name, target } of links) {
      this.#held.set(name, { target, users: (this.#held.get(name)?.users ?? 0) + 1 });
    }
    return async () => {
      for (const { name, target } of links) {
        await putBack(name, target);
        const users = (this.#held.get(name)?.users ?? 1) - 1;
        if (users > 0) this.#held.set(name, { target, users });
        else this.#held.delete(name);
      }
    };
  }
}

async function putBack(name: string, target: string): Promise<void> {
  if (await targetOf(name) === target) return;
  // The runtime may not touch most of these names.
  await runQuietly("rm", ["-rf", "--", name]);
  await runQuietly("ln", ["-s", "--", target, name]);
}

/** Null for what is no link. */
async function targetOf(name: string): Promise<string | null> {
  try {
    return await Deno.readLink(name);
  } catch {
    return null;
  }
}
