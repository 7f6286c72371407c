/** The address that a provider without `baseURL` speaks to. */
export const DEFAULT_BASE_URL = "https://api.openai.com/v1";

/** The variable that holds the key for {@linkcode DEFAULT_BASE_URL}. */
export const DEFAULT_API_KEY_ENV = "OPENAI_API_KEY";
