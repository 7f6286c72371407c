/**
 * The parser of HTML and feeds that needs no tree, in the one place that owns it.
 *
 * @module
 */
export { parseFeed, Parser, type QuoteType, Tokenizer } from "htmlparser2";
