import type { KeyObject } from "node:crypto";

/** What a receipt is about. */
export interface ReceiptSubject {
  /** Name of the tool. */
  readonly name: string;
  /** JSON text of the arguments, as the session holds it. */
  readonly arguments: string;
  /** Text of the result, with or without the receipt at its end. */
  readonly result: string;
}

/** Makes and checks the receipts of one session. */
export interface ToolReceipts {
  /**
   * Makes the receipt of a call that was successful.
   *
   * @param subject What it is about; the result without a receipt.
   * @param at When the call ended, in epoch milliseconds.
   * @returns `zc-receipt-<epoch seconds>-<base64url>`.
   */
  issue(subject: ReceiptSubject, at: number): string;
  /**
   * Whether a receipt was made by this session for this very call, at the time that it names.
   *
   * @param receipt The receipt.
   * @param subject What it is said to be about.
   */
  verify(receipt: string, subject: ReceiptSubject): boolean;
  /**
   * The last line of a result that has a receipt.
   *
   * @param receipt The receipt.
   */
  line(receipt: string): string;
  /** Most characters that such a line adds to a result. */
  readonly lineChars: number;
}

/** Of the longest receipt, with the line end before it. */
const LINE_CHARS = 80;

const KEY_BYTES = 32;
/** 43 characters of base64url are 32 bytes. */
const RECEIPT_REGEXP = /^zc-receipt-(0|[1-9]\d{0,11})-([A-Za-z0-9_-]{43})$/;

/**
 * Creates the receipts of a session, under a random key of 256 bits that is kept in memory alone:
 * nobody can make or check them once the session is closed. Imported only where they are wanted.
 */
export async function createToolReceipts(): Promise<ToolReceipts> {
  const { createHmac, createSecretKey, randomBytes, timingSafeEqual } = await import("node:crypto");
  const key: KeyObject = createSecretKey(randomBytes(KEY_BYTES));
  const sign = (epoch: string, { name, arguments: args, result }: ReceiptSubject): string =>
    // A list of JSON says where each part ends, so that none can pass for a piece of another.
    createHmac("sha256", key).update(JSON.stringify([epoch, name, args, result]))
      .digest("base64url");
  const encoder = new TextEncoder();
  return {
    lineChars: LINE_CHARS,
    line: receiptLine,
    issue(subject, at) {
      const epoch = String(Math.floor(at / 1_000));
      return `zc-receipt-${epoch}-${sign(epoch, subject)}`;
    },
    verify(receipt, subject) {
      const parts = RECEIPT_REGEXP.exec(receipt);
      if (parts === null) return false;
      const [, epoch = "", code = ""] = parts;
      const result = withoutReceipt(subject.result, receipt);
      // Texts of one length: the pattern sees to it.
      return timingSafeEqual(
        encoder.encode(code),
        encoder.encode(sign(epoch, { ...subject, result })),
      );
    },
  };
}

function receiptLine(receipt: string): string {
  return `[receipt: ${receipt}]`;
}

function withoutReceipt(result: string, receipt: string): string {
  const end = `\n${receiptLine(receipt)}`;
  if (result === receiptLine(receipt)) return "";
  return result.endsWith(end) ? result.slice(0, -end.length) : result;
}
