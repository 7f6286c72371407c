import { isObject } from "../../../core/config/is_object.ts";
import { isSecretName } from "../../../core/secret_names.ts";
import { previewText } from "../../../core/text/bound_text.ts";

/** Something to pick. */
export interface ElicitationChoice {
  /** What the server receives. */
  readonly value: string;
  /** What the person reads. */
  readonly label: string;
}

/** Checks that a text has to pass. */
export type TextFormat = "email" | "uri" | "date" | "date-time";

/** What a field takes. */
export type FieldShape =
  | {
    readonly kind: "text";
    readonly minChars?: number;
    readonly maxChars?: number;
    readonly format?: TextFormat;
    /** Told to the person and never run: an expression of a server may take for ever. */
    readonly pattern?: string;
    readonly initial?: string;
  }
  | {
    readonly kind: "number";
    readonly isInteger: boolean;
    readonly min?: number;
    readonly max?: number;
    readonly initial?: number;
  }
  | { readonly kind: "flag"; readonly initial?: boolean }
  | {
    readonly kind: "choice";
    readonly choices: readonly ElicitationChoice[];
    readonly initial?: string;
  }
  | {
    readonly kind: "choices";
    readonly choices: readonly ElicitationChoice[];
    readonly minItems: number;
    readonly maxItems: number;
    readonly initial?: readonly string[];
  };

/** One thing that a server wants to know. */
export interface ElicitationField {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly isRequired: boolean;
  readonly shape: FieldShape;
}

/** What a server asks the person. */
export type ElicitationRequest =
  | {
    readonly mode: "form";
    readonly message: string;
    readonly fields: readonly ElicitationField[];
  }
  | { readonly mode: "url"; readonly message: string; readonly url: URL };

const MAX_FIELDS = 20;
const MAX_CHOICES = 200;
const MAX_MESSAGE_CHARS = 4_000;
const MAX_WORD_CHARS = 300;
const MAX_URL_CHARS = 2_000;

const TEXT_FORMATS: ReadonlySet<unknown> = new Set(["email", "uri", "date", "date-time"]);

type Facts = Readonly<Record<string, unknown>>;

/**
 * Reads what a server asks.
 *
 * @param params Parameters of `elicitation/create`, of which nothing is known.
 * @throws {TypeError} If it is not what the protocol allows, or asks for a secret. The message may
 * be told to the server.
 */
export function readElicitation(params: unknown): ElicitationRequest {
  if (!isObject(params)) throw refused("its parameters are no object");
  const message = previewText(textOf(params.message) ?? "", MAX_MESSAGE_CHARS);
  if (params.mode === "url") return { mode: "url", message, url: readUrl(params.url) };
  if (params.mode !== undefined && params.mode !== "form") {
    throw refused('its mode is neither "form" nor "url"');
  }
  const schema = params.requestedSchema;
  const properties = isObject(schema) ? schema.properties ?? {} : undefined;
  if (!isObject(schema) || schema.type !== "object" || !isObject(properties)) {
    throw refused("requestedSchema is no schema of an object");
  }
  const entries = Object.entries(properties);
  if (entries.length > MAX_FIELDS) throw refused(`it has more than ${MAX_FIELDS} fields`);
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const fields = entries.map(([name, field]) => readField(name, field, required.includes(name)));
  return { mode: "form", message, fields };
}

function readUrl(value: unknown): URL {
  const text = textOf(value) ?? "";
  if (text.length > MAX_URL_CHARS || !URL.canParse(text)) throw refused("url is no address");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw refused("url is no address of the web");
  }
  // What stands before an "@" reads like the host.
  if (url.username !== "" || url.password !== "") throw refused("url holds a name or a password");
  return url;
}

function readField(name: string, value: unknown, isRequired: boolean): ElicitationField {
  if (!isObject(value)) throw refused(`field ${quoted(name)} has no schema`);
  const title = textOf(value.title);
  const description = textOf(value.description);
  const shape = readShape(name, value);
  const isSecret = [name, title ?? ""].some((each) =>
    isSecretName(each.trim().replace(/\s+/g, "_"))
  );
  if (shape.kind === "text" && (isSecret || value.format === "password")) {
    throw refused(`field ${quoted(name)} asks for a secret, which a form must not; use mode "url"`);
  }
  return {
    name,
    title: previewText(title === undefined || title.trim() === "" ? name : title, MAX_WORD_CHARS),
    ...(description === undefined ? {} : {
      description: previewText(description, MAX_MESSAGE_CHARS),
    }),
    isRequired,
    shape,
  };
}

function readShape(name: string, field: Facts): FieldShape {
  switch (field.type) {
    case "string":
      return isChoice(field) ? choiceShape(name, field) : textShape(field);
    case "number":
    case "integer":
      return {
        kind: "number",
        isInteger: field.type === "integer",
        ...optional("min", numberOf(field.minimum)),
        ...optional("max", numberOf(field.maximum)),
        ...optional("initial", numberOf(field.default)),
      };
    case "boolean":
      return {
        kind: "flag",
        ...optional("initial", typeof field.default === "boolean" ? field.default : undefined),
      };
    case "array":
      return choicesShape(name, field);
    default:
      throw refused(`field ${quoted(name)} is neither text, number, boolean nor a choice`);
  }
}

function textShape(field: Facts): FieldShape {
  const { format } = field;
  return {
    kind: "text",
    ...optional("minChars", numberOf(field.minLength)),
    ...optional("maxChars", numberOf(field.maxLength)),
    ...(isTextFormat(format) ? { format } : {}),
    ...optional("pattern", clipped(field.pattern)),
    ...optional("initial", textOf(field.default)),
  };
}

function choiceShape(name: string, field: Facts): FieldShape {
  const choices = readChoices(name, field);
  const initial = textOf(field.default);
  return {
    kind: "choice",
    choices,
    ...optional("initial", choices.some(({ value }) => value === initial) ? initial : undefined),
  };
}

function choicesShape(name: string, field: Facts): FieldShape {
  if (!isObject(field.items) || !isChoice(field.items)) {
    throw refused(`field ${quoted(name)} is a list, but not of choices`);
  }
  const choices = readChoices(name, field.items);
  const initial = Array.isArray(field.default)
    ? field.default.filter((each) => choices.some(({ value }) => value === each))
    : [];
  return {
    kind: "choices",
    choices,
    minItems: numberOf(field.minItems) ?? 0,
    maxItems: numberOf(field.maxItems) ?? choices.length,
    ...(initial.length === 0 ? {} : { initial }),
  };
}

function isChoice(field: Facts): boolean {
  return [field.enum, field.oneOf, field.anyOf].some(Array.isArray);
}

/** Three forms: values, values with names beside them, and pairs. */
function readChoices(name: string, field: Facts): readonly ElicitationChoice[] {
  const names: readonly unknown[] = Array.isArray(field.enumNames) ? field.enumNames : [];
  const pairs = [field.oneOf, field.anyOf].find(Array.isArray) ?? [];
  const choices = Array.isArray(field.enum)
    ? field.enum.map((value, index) => choiceOf(value, names[index]))
    : pairs.map((pair) => isObject(pair) ? choiceOf(pair.const, pair.title) : undefined);
  const known = choices.filter((choice) => choice !== undefined);
  if (known.length === 0 || known.length < choices.length || known.length > MAX_CHOICES) {
    throw refused(`field ${quoted(name)} needs 1 to ${MAX_CHOICES} choices that are texts`);
  }
  if (new Set(known.map(({ value }) => value)).size < known.length) {
    throw refused(`field ${quoted(name)} has a choice twice`);
  }
  return known;
}

function choiceOf(value: unknown, title: unknown): ElicitationChoice | undefined {
  if (typeof value !== "string") return undefined;
  const label = textOf(title)?.trim() ?? "";
  return { value, label: previewText(label === "" ? value : label, MAX_WORD_CHARS) };
}

function isTextFormat(value: unknown): value is TextFormat {
  return TEXT_FORMATS.has(value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function clipped(value: unknown): string | undefined {
  return typeof value === "string" ? previewText(value, MAX_WORD_CHARS) : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function optional<K extends string, T>(name: K, value: T | undefined): { readonly [N in K]?: T } {
  return value === undefined ? {} : { [name]: value } as { readonly [N in K]?: T };
}

function quoted(name: string): string {
  return JSON.stringify(previewText(name, 60));
}

function refused(reason: string): TypeError {
  return new TypeError(`Cannot ask the person: ${reason}`);
}
