import { knowsSequences } from "../opens_screen.ts";

/** The terminal of a person. */
export interface Terminal {
  /**
   * Reads what was typed.
   *
   * @returns Some bytes, or null when the terminal is gone.
   */
  read(): Promise<Uint8Array | null>;
  /**
   * Switches between keys as they are pressed and lines as the system edits them.
   *
   * @param raw Whether every key is wanted, Ctrl+C included.
   */
  setRaw(raw: boolean): void;
  /**
   * Hands the terminal back to the shell, as Ctrl+Z does, until the person returns.
   *
   * @param onReturn Called when they have.
   */
  suspend(onReturn: () => void): void;
  /** Columns and rows of its window. */
  size(): { readonly columns: number; readonly rows: number };
  /** Whether it shows colours. */
  readonly hasColour: boolean;
  /** Whether it knows control sequences at all. */
  readonly hasSequences: boolean;
}

/** How much is read at once. */
const CHUNK_BYTES = 4_096;

/** Runs only while the program does: it is over as soon as the program goes on. */
const SUSPENDED_MS = 50;

/** A window that does not tell its size is taken for one of this size. */
const USUAL_SIZE = { columns: 80, rows: 24 } as const;

/**
 * The terminal at standard input and standard output.
 *
 * @param env Environment variables.
 */
export function processTerminal(env: Readonly<Record<string, string>>): Terminal {
  const setRaw = (raw: boolean): void => {
    try {
      Deno.stdin.setRaw(raw);
    } catch {
      // It is gone, which the next read says.
    }
  };
  const hasSequences = knowsSequences(env);
  return {
    hasSequences,
    hasColour: hasSequences && (env.NO_COLOR ?? "") === "",
    async read() {
      const bytes = new Uint8Array(CHUNK_BYTES);
      try {
        const count = await Deno.stdin.read(bytes);
        return count === null ? null : bytes.subarray(0, count);
      } catch {
        // A terminal that was closed cannot be read: nobody is there any more.
        return null;
      }
    },
    setRaw,
    suspend(onReturn) {
      if (Deno.build.os === "windows") return;
      setRaw(false);
      // Where no shell could bring it back, the system does not stop it.
      Deno.kill(Deno.pid, "SIGTSTP");
      setTimeout(() => {
        setRaw(true);
        onReturn();
      }, SUSPENDED_MS);
    },
    size() {
      try {
        const { columns, rows } = Deno.consoleSize();
        return columns > 0 && rows > 0 ? { columns, rows } : USUAL_SIZE;
      } catch {
        return USUAL_SIZE;
      }
    },
  };
}
