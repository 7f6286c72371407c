import assert from "node:assert/strict";
import { examineSearch, formatSearch } from "../../cli/doctor_search.ts";

Deno.test("examineSearch() says who is asked, and whether there is a key, never which", () => {
  const env = { BRAVE_SEARCH_API_KEY: "key-0123456789", SERPAPI_API_KEY: " " };
  const nativeToolType = "web_search";
  for (
    const [settings, report, words] of [
      [{}, { provider: "searxng" }, /^searxng, a public instance, which often blocks/],
      [
        { searxngUrl: "http://localhost:8080" },
        { provider: "searxng", address: "http://localhost:8080" },
        /^searxng at "http:\/\/localhost:8080"$/,
      ],
      [
        { provider: "duckduckgo-html", searxngUrl: "http://localhost:8080" },
        { provider: "duckduckgo-html" },
        /^duckduckgo-html$/,
      ],
      [
        { provider: "brave" },
        { provider: "brave", key: { variable: "BRAVE_SEARCH_API_KEY", isSet: true } },
        /^brave, variable "BRAVE_SEARCH_API_KEY" is set$/,
      ],
      [
        { provider: "serpapi" },
        { provider: "serpapi", key: { variable: "SERPAPI_API_KEY", isSet: false } },
        /^serpapi, variable "SERPAPI_API_KEY" is not set$/,
      ],
      [
        { provider: "tavily", apiKeyEnv: "MINE" },
        { provider: "tavily", key: { variable: "MINE", isSet: false } },
        /^tavily, variable "MINE" is not set$/,
      ],
      [
        { provider: "native" },
        { provider: "native" },
        /^native: the model's server searches, with --allow-external or in the mode full$/,
      ],
    ] as const
  ) {
    const found = examineSearch({ nativeToolType, ...settings }, env);
    assert.deepEqual(found, report);
    assert.match(formatSearch(found), words);
  }
});
