import type { SearchRequest } from "./search_request.ts";

/** Something that a search found, as the server wrote it. */
export interface FoundPage {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** What a server answered to a search. */
export interface Found {
  readonly pages: readonly FoundPage[];
  /** What one should know of answers of this kind. */
  readonly limitation?: string;
}

/** What a search works with. */
export interface SearchPorts {
  /** What is looked for; not empty. */
  readonly query: string;
  /** How many pages are asked for, where a server can be told. */
  readonly maxResults: number;
  /**
   * Asks a server for a text.
   *
   * @throws {SearchFailure} If it does not answer with one.
   */
  readonly request: (request: SearchRequest) => Promise<string>;
}

/**
 * Asks one service.
 *
 * @param ports What it works with.
 * @throws {SearchFailure} If the service does not answer, or with something else than results.
 */
export type Search = (ports: SearchPorts) => Promise<Found>;
