import { SearchFailure } from "./search_failure.ts";

/** A key of a search service. */
export interface ServiceKey {
  /** The variable that holds it. */
  readonly variable: string;
  readonly value: string;
}

/**
 * Reads the key of a service from its variable.
 *
 * @param env Environment variables.
 * @param variable The name.
 * @throws {SearchFailure} If it is not set, or holds what no key has; the key is not in the message.
 */
export function readServiceKey(
  env: Readonly<Record<string, string | undefined>>,
  variable: string,
): ServiceKey {
  const value = (env[variable] ?? "").trim();
  if (value === "") {
    throw new SearchFailure(
      `the variable "${variable}" is not set: put the key of the service there and start again, ` +
        'or choose another "websearch.provider"',
    );
  }
  // The characters that a header can carry.
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new SearchFailure(
      `the variable "${variable}" holds characters that no key has, such as spaces or line breaks`,
    );
  }
  return { variable, value };
}

/**
 * What a person can do about an answer that has to do with the key.
 *
 * @param key The key.
 * @param status Status of the answer.
 */
export function adviseAboutKey(key: ServiceKey, status: number): string | undefined {
  switch (status) {
    case 401:
    case 403:
      return `check the key in the variable "${key.variable}"`;
    case 402:
      return "the plan of the key is used up";
    case 429:
      return "the searches that the key may do are used up for now";
    default:
      return undefined;
  }
}
