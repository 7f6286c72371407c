import { TailBuffer } from "../../core/process/tail_buffer.ts";
import { visibleLines, visibleOutput } from "../../core/process/visible_text.ts";
import { StreamRedactor } from "../../core/process/stream_redactor.ts";
import { redactSecrets } from "../../core/redact.ts";

const MAX_BYTES = 8_192;
const MAX_LINES = 20;
const MAX_CHARS = 4_000;

/** The end of what a program writes to standard error, which nobody else reads. */
export class ErrorTail {
  readonly #secrets: readonly string[];
  readonly #redactor: StreamRedactor;
  readonly #tail = new TailBuffer(MAX_BYTES);

  /** @param secrets Values that must not be seen. */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
    this.#redactor = new StreamRedactor(secrets);
  }

  /** The last lines so far, without secrets and with everything visible; empty if there are none. */
  get text(): string {
    const output = visibleLines(visibleOutput(this.#tail.last(MAX_BYTES)));
    const lines = redactSecrets(output, this.#secrets).trimEnd().split("\n");
    return lines.slice(-MAX_LINES).join("\n").slice(-MAX_CHARS);
  }

  /**
   * Takes the next bytes.
   *
   * @param bytes The bytes. They are not kept.
   */
  write(bytes: Uint8Array): void {
    this.#tail.write(this.#redactor.write(bytes));
  }

  /** The stream has ended. */
  end(): void {
    this.#tail.write(this.#redactor.end());
  }
}
