/** A value that survives a round trip through JSON. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: JsonValue | undefined };

/**
 * The subset of JSON Schema that tool inputs may use: objects, arrays, scalars and enums,
 * without remote references.
 */
export type JsonSchema = JsonObject;
