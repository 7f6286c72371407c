/** A server's answer that is an error. */
export class AnsweredError extends Error {
  /** Always `AnsweredError`. */
  override readonly name = "AnsweredError";
  /** As the server gave it. */
  readonly code: number;
  /** What the server added. */
  readonly data: unknown;

  /**
   * Creates the error.
   *
   * @param code As the server gave it.
   * @param message What the server wrote, unchanged.
   * @param data What it added.
   */
  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
