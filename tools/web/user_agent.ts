import { VERSION } from "../../core/version.ts";

/** What servers are told of who asks. It pretends to be no browser. */
export const USER_AGENT = `Alisio/${VERSION} (coding agent; fetches single pages for a person)`;
