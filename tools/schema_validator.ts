import { type OutputUnit, type ValidationResult, Validator } from "@cfworker/json-schema";
import type { JsonSchema } from "@alisio/sdk";
import type { InputProblem, InputValidator } from "../core/tools/input_validator.ts";

/**
 * Creates the validator of tool inputs. It generates no code, so it needs no permission to do so;
 * each schema is prepared once.
 */
export function createSchemaValidator(): InputValidator {
  const validators = new WeakMap<JsonSchema, Validator>();
  return (schema, input) => {
    let validator = validators.get(schema);
    if (validator === undefined) {
      validator = new Validator({ ...schema }, "2020-12", false);
      validators.set(schema, validator);
    }
    const { valid, errors } = validated(validator, input);
    if (valid) return [];
    return problemsOf(errors, input);
  };
}

/** A plugin may have written a schema that nothing can be held against. */
function validated(validator: Validator, input: unknown): ValidationResult {
  try {
    return validator.validate(input);
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split("\n");
    throw new TypeError(`The tool did not run, because its inputSchema is faulty: ${reason}`, {
      cause: error,
    });
  }
}

/** Keywords that only say that something further down is wrong. */
const WRAPPERS: ReadonlySet<string> = new Set(["properties", "items", "additionalProperties"]);

function problemsOf(errors: readonly OutputUnit[], input: unknown): readonly InputProblem[] {
  const specific = errors.filter((unit) => !WRAPPERS.has(unit.keyword));
  // A known field with a wrong value is reported a second time, as one that is not allowed.
  const wrong = specific.filter((unit) => unit.keyword !== "false");
  const telling = specific.filter((unit) =>
    unit.keyword !== "false" ||
    !wrong.some(({ instanceLocation }) =>
      instanceLocation === unit.instanceLocation ||
      instanceLocation.startsWith(`${unit.instanceLocation}/`)
    )
  );
  const problems = (telling.length > 0 ? telling : errors).map((unit) => ({
    field: fieldOf(unit.instanceLocation),
    problem: describe(unit, valueAt(input, unit.instanceLocation)),
  }));
  const seen = new Set<string>();
  return problems.filter(({ field, problem }) => {
    const key = `${field}\0${problem}`;
    return seen.has(key) ? false : seen.add(key) !== undefined;
  });
}

function describe(unit: OutputUnit, value: unknown): string {
  switch (unit.keyword) {
    case "false":
      return "is not a field";
    case "type":
      return `has the wrong type: got ${kindOf(value)}. ${sentence(unit.error)}`;
    case "required":
      return `lacks a field: ${unit.error.match(/"[^"]*"/)?.[0] ?? sentence(unit.error)}`;
    default:
      return `is not right. ${sentence(unit.error)}`;
  }
}

function sentence(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function fieldOf(location: string): string {
  return location.replace(/^#\/?/, "").replaceAll("/", ".").slice(0, 120);
}

function valueAt(input: unknown, location: string): unknown {
  const names = location.replace(/^#\/?/, "").split("/").filter((name) => name !== "");
  return names.reduce<unknown>(
    (value, name) =>
      typeof value === "object" && value !== null
        ? Reflect.get(value, decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~"))
        : undefined,
    input,
  );
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  const text = JSON.stringify(value);
  return `the ${typeof value} ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`;
}
