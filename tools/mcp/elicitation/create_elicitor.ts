import type { Question, QuestionAnswer, QuestionAsker } from "../../../core/tools/user_question.ts";
import {
  type ElicitationField,
  type ElicitationRequest,
  readElicitation,
} from "./elicitation_request.ts";
import {
  DECLINE,
  type FieldAnswer,
  type FieldQuestion,
  fieldQuestion,
  quotedLines,
} from "./field_question.ts";
import type { ElicitationValue } from "./field_value.ts";

/** What the person did, in the form that the protocol sends. */
export type ElicitationResult =
  | { readonly action: "accept"; readonly content?: Readonly<Record<string, ElicitationValue>> }
  | { readonly action: "decline" | "cancel" };

/**
 * Puts a question of a server to the person.
 *
 * Contract: one question of the server at a time, the others wait. Rejects with a `TypeError` if
 * the request is not what the protocol allows, or asks for a secret (its message may be told to the
 * server), and with the signal's reason when that aborts. Nothing is opened, fetched or run.
 */
export type Elicitor = (params: unknown, signal: AbortSignal) => Promise<ElicitationResult>;

/** What {@linkcode createElicitor} needs. */
export interface ElicitorOptions {
  /** Name of the server in the configuration, which the person knows it by. */
  readonly server: string;
  /** Asks the person; absent where nobody is there, and then every request is cancelled. */
  readonly ask?: QuestionAsker;
  /** Is told, in one sentence, that the server is not listened to any more. */
  readonly onDiagnostic?: (text: string) => void;
}

/** Requests that one connection may make. */
const MAX_REQUESTS = 20;
/** After so many in a row that the person did not answer, no more are shown. */
const MAX_REFUSALS = 3;
/** Requests that wait behind the one on the screen. */
const MAX_WAITING = 3;
/** How often the person is asked for one form. */
const MAX_ROUNDS = 5;

const SEND = "Send the answers";
const ACCEPT = "Accept";
const OPENS = "I open it myself";

/** The person was asked in vain. */
const CANCEL: ElicitationResult = { action: "cancel" };
const REFUSE: ElicitationResult = { action: "decline" };
const PASSED_OVER: FieldAnswer = { kind: "none" };

/**
 * Creates what answers the questions of one connection.
 *
 * @param options Who asks whom.
 */
export function createElicitor(options: ElicitorOptions): Elicitor {
  const { server, ask, onDiagnostic } = options;
  let last: Promise<unknown> = Promise.resolve();
  let asked = 0;
  let refusals = 0;
  let waiting = 0;
  let isTold = false;
  const isStopped = () => asked >= MAX_REQUESTS || refusals >= MAX_REFUSALS;
  const stop = (): ElicitationResult => {
    if (!isTold) onDiagnostic?.(`MCP server "${server}" asks too often and is not shown any more`);
    isTold = true;
    return CANCEL;
  };
  const answer = async (
    request: ElicitationRequest,
    signal: AbortSignal,
    asker: QuestionAsker,
  ): Promise<ElicitationResult> => {
    signal.throwIfAborted();
    if (isStopped()) return stop();
    asked += 1;
    const put = (questions: readonly Question[]) =>
      asker(questions, { callId: `mcp:${server}`, server, signal });
    const result = request.mode === "url"
      ? await askForVisit(server, request, put)
      : await askForForm(server, request, put);
    refusals = result.action === "accept" ? 0 : refusals + 1;
    return result;
  };
  return async (params, signal) => {
    const request = readElicitation(params);
    if (ask === undefined) return CANCEL;
    if (isStopped() || waiting > MAX_WAITING) return stop();
    waiting += 1;
    const turn = last.then(() => answer(request, signal, ask));
    last = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      waiting -= 1;
    }
  };
}

type Put = (questions: readonly Question[]) => Promise<readonly QuestionAnswer[]>;

async function askForVisit(
  server: string,
  { message, url }: Extract<ElicitationRequest, { readonly mode: "url" }>,
  put: Put,
): Promise<ElicitationResult> {
  const isDisguised = /(^|\.)xn--/.test(url.hostname);
  const [answer] = await put([{
    header: "Open an address",
    question: [
      `MCP server "${server}" wants you to open an address in a browser. Alisio opens nothing, ` +
      "and does not see what you enter there.",
      quotedLines(message),
      `Host: ${url.host}${
        isDisguised ? " (letters that may look like those of another host)" : ""
      }`,
      ...(url.protocol === "http:" ? ["The connection to it is not encrypted"] : []),
      `Address: ${url.href}`,
    ].filter((line) => line !== "").join("\n"),
    multiSelect: false,
    options: [{ label: OPENS }, { label: DECLINE }],
  }]);
  return answeredBy(answer, OPENS);
}

type FormRequest = Extract<ElicitationRequest, { readonly mode: "form" }>;
type Content = Readonly<Record<string, ElicitationValue>>;

async function askForForm(
  server: string,
  { message, fields }: FormRequest,
  put: Put,
): Promise<ElicitationResult> {
  const intro = [
    `MCP server "${server}" asks, and receives what you answer. Give it no password, no key and ` +
    "nothing else that is secret.",
    quotedLines(message),
  ].filter((part) => part !== "").join("\n");
  if (fields.length === 0) return await askToAgree("Confirm", intro, ACCEPT, {}, put);
  const filled = await fillIn(intro, fields, put);
  if ("action" in filled) return filled;
  const { content } = filled;
  // One answer was seen as it was given.
  if (fields.length === 1) return { action: "accept", content };
  const lines = fields.map(({ name, title }) =>
    quotedLines(
      `${title}: ${Object.hasOwn(content, name) ? JSON.stringify(content[name]) : "(left out)"}`,
    )
  );
  const review = [`MCP server "${server}" receives:`, ...lines].join("\n");
  return await askToAgree("Send the answers", review, SEND, content, put);
}

async function askToAgree(
  header: string,
  question: string,
  accepting: string,
  content: Content,
  put: Put,
): Promise<ElicitationResult> {
  const options = [{ label: accepting }, { label: DECLINE }];
  const [answer] = await put([{ header, question, multiSelect: false, options }]);
  const result = answeredBy(answer, accepting);
  return result.action === "accept" ? { ...result, content } : result;
}

interface OpenField {
  readonly field: ElicitationField;
  readonly form: FieldQuestion;
}

/** Asks for all fields, and again for those whose answers do not do, with the reason. */
async function fillIn(
  intro: string,
  fields: readonly ElicitationField[],
  put: Put,
): Promise<{ readonly content: Content } | ElicitationResult> {
  const values = new Map<string, ElicitationValue>();
  let open: readonly OpenField[] = fields.map((field, index) => ({
    field,
    form: fieldQuestion(field, index === 0 ? intro : ""),
  }));
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const answers = await put(open.map(({ form }) => form.question));
    if (!answers.some(({ skipped }) => !skipped)) return CANCEL;
    const again: OpenField[] = [];
    for (const [index, { field, form }] of open.entries()) {
      const answer = answers[index];
      const read = answer === undefined || answer.skipped ? PASSED_OVER : form.read(answer);
      if (read.kind === "declined") return REFUSE;
      if (read.kind === "value") values.set(field.name, read.value);
      else if (read.kind === "wrong" || field.isRequired) {
        const reason = read.kind === "wrong" ? read.reason : "the server needs an answer";
        again.push({ field, form: fieldQuestion(field, `Not taken: ${reason}.`) });
      }
    }
    if (again.length === 0) return { content: Object.fromEntries(values) };
    open = again;
  }
  return CANCEL;
}

function answeredBy(answer: QuestionAnswer | undefined, accepting: string): ElicitationResult {
  if (answer === undefined || answer.skipped) return CANCEL;
  if (answer.selected.length === 1 && answer.selected[0] === accepting) {
    return { action: "accept" };
  }
  return REFUSE;
}
