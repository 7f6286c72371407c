import { visibleName } from "../../core/process/visible_text.ts";
import { redactSecrets } from "../../core/redact.ts";
import { previewText } from "../../core/text/bound_text.ts";

const MAX_CHARS = 300;
/** How many are passed on in one span of time, so that no server fills a screen or a log. */
const MAX_IN_SPAN = 10;
const SPAN_MS = 60_000;

/** What diagnostics of one server work with. */
export interface DiagnosticsPorts {
  /** Name of the server in the configuration. */
  readonly server: string;
  /** Values that must not be seen. */
  readonly secrets: readonly string[];
  /** Receives what is left of them. */
  readonly onDiagnostic: (text: string) => void;
}

/** Passes on what went wrong, short, safe to show, and not too often. */
export class Diagnostics {
  readonly #ports: DiagnosticsPorts;
  #spanStartedAt = -Infinity;
  #inSpan = 0;
  #dropped = 0;

  /** @param ports Whom it tells. */
  constructor(ports: DiagnosticsPorts) {
    this.#ports = ports;
  }

  /**
   * Tells of something, unless too much was told already.
   *
   * @param text Any text, of which the server may have written a part.
   */
  add(text: string): void {
    const now = performance.now();
    if (now - this.#spanStartedAt > SPAN_MS) {
      const dropped = this.#dropped;
      [this.#spanStartedAt, this.#inSpan, this.#dropped] = [now, 0, 0];
      if (dropped > 0) this.#tell(`${dropped} more messages of this kind were left out`);
    }
    if (this.#inSpan < MAX_IN_SPAN) return this.#tell(text);
    if (this.#dropped === 0) this.#tell("more messages are left out for a while");
    this.#dropped++;
  }

  /**
   * Makes a text that the server wrote safe and short.
   *
   * @param text Any text.
   */
  safe(text: string): string {
    return safeServerText(text, this.#ports.secrets);
  }

  #tell(text: string): void {
    this.#inSpan++;
    this.#ports.onDiagnostic(`MCP server "${this.#ports.server}": ${this.safe(text)}`);
  }
}

/**
 * A text of a server on one line: short, without secrets, and with everything visible.
 *
 * @param text Any text.
 * @param secrets Values that must not be seen.
 */
export function safeServerText(text: string, secrets: readonly string[]): string {
  // Cut first, for it may be long, and once more, for escapes make it longer.
  const redacted = redactSecrets(text.slice(0, 4 * MAX_CHARS), secrets);
  return previewText(visibleName(redacted.toWellFormed()), MAX_CHARS);
}
