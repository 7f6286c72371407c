/** Version of Alisio, the one in `deno.json`. */
export const VERSION = "0.1.0";
