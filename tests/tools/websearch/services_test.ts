import assert from "node:assert/strict";
import { jsonAnswer, KEY, pageAnswer, search } from "./_search_scene.ts";

const PAGE = {
  title: "Permissions",
  url: "https://docs.example/perm",
  snippet: "What is allowed.",
};

/** As `html.duckduckgo.com` writes its results. */
const DUCKDUCKGO_PAGE = `<!DOCTYPE html><html><body><div class="serp__results"><div id="links">
<div class="result results_links results_links_deep result--ad"><div class="links_main">
 <h2 class="result__title"><a rel="nofollow" class="result__a"
  href="//duckduckgo.com/y.js?ad_domain=shop.example&amp;u3=https%3A%2F%2Fshop.example">Buy</a></h2>
 <a class="result__snippet" href="//duckduckgo.com/y.js?x=1">An advertisement</a></div></div>
<div class="result results_links results_links_deep web-result "><div class="links_main links_deep result__body">
 <h2 class="result__title"><a rel="nofollow" class="result__a"
  href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fdocs.example%2Fperm%3Fa%3D1%26b%3D2&amp;rut=0af">Deno &amp; <b>permissions</b></a></h2>
 <div class="result__extras"><a class="result__url" href="//duckduckgo.com/l/?uddg=x">docs.example/perm</a></div>
 <a class="result__snippet" href="//duckduckgo.com/l/?uddg=x">What is <b>allowed</b> &#x27;here&#x27;.</a>
</div><div class="clear"></div></div>
<div class="result web-result"><h2 class="result__title"><a class="result__a" href="https://other.example/">Other</a></h2></div>
</div></div></body></html>`;

Deno.test("websearch asks a SearXNG instance for JSON and shows what it found", async () => {
  const found = await search({
    isOwnInstance: true,
    service: [jsonAnswer({
      query: "deno permissions",
      number_of_results: 0,
      results: [{
        url: PAGE.url,
        title: PAGE.title,
        content: PAGE.snippet,
        engine: "brave",
        parsed_url: ["https", "docs.example", "/perm", "", "", ""],
        template: "default.html",
        score: 1,
        category: "general",
      }],
      answers: [],
      corrections: [],
      infoboxes: [],
      suggestions: [],
      unresponsive_engines: [["google", "Suspended: CAPTCHA"]],
    })],
  });
  assert.deepEqual(found.json, { results: [PAGE], source: "searxng" });
  const [request] = found.requests;
  assert.equal(request?.method, "GET");
  assert.equal(request?.path, "/search?q=deno+permissions&format=json");
  assert.match(request?.headers.get("user-agent") ?? "", /^alisio\/\d/);
});

Deno.test("websearch says which engines of a SearXNG instance were silent when it found nothing", async () => {
  const found = await search({
    isOwnInstance: true,
    service: [jsonAnswer({
      results: [],
      unresponsive_engines: [["google", "Suspended: CAPTCHA"], ["bing", "timeout"]],
    })],
  });
  assert.deepEqual(found.json, {
    results: [],
    source: "searxng",
    limitation: "These engines of the instance did not answer: google (Suspended: CAPTCHA), " +
      "bing (timeout)",
  });
});

Deno.test("websearch says what to change in a SearXNG instance that refuses", async () => {
  const forbidden = await search({ isOwnInstance: true, service: [pageAnswer("<h1>403", 403)] });
  assert.match(forbidden.text, /status 403; .*add "json" to "search\.formats"/);
  const limited = await search({
    isOwnInstance: true,
    service: [{ status: 429, headers: { "retry-after": "17" }, steps: ["Too Many Requests"] }],
  });
  assert.match(limited.text, /status 429, and asks to wait 17 s; its limiter/);
  assert.deepEqual([forbidden.isError, limited.isError], [true, true]);
});

Deno.test("websearch asks a public instance where nothing is configured, and says what that is", async () => {
  const found = await search({
    service: [
      jsonAnswer({ results: [{ url: PAGE.url, title: PAGE.title, content: PAGE.snippet }] }),
    ],
  });
  assert.deepEqual(found.json, {
    results: [PAGE],
    source: "searxng",
    limitation:
      "A public SearXNG instance, which may limit or block automated searches at any time",
  });
  for (
    const refusal of [pageAnswer("<h1>Too Many Requests", 429), pageAnswer("<p>Are you human?")]
  ) {
    const { isError, text } = await search({ service: [refusal] });
    assert.ok(isError);
    assert.match(text, /^Cannot search the web: 127\.0\.0\.1:\d+ answered with/);
    assert.match(
      text,
      /often limit or block automated searches: choose "duckduckgo-html" .*\/settings/,
    );
    assert.match(text, /docker run -d -p 8080:8080 searxng\/searxng/);
    assert.match(text, /"websearch\.searxngUrl" to "http:\/\/localhost:8080"/);
  }
});

Deno.test("websearch refuses a searxngUrl that the configuration would refuse", async () => {
  for (
    const [searxngUrl, reason] of [
      ["http://10.0.0.1:8080", /must start with https:\/\//],
      ["http://searx.example", /must start with https:\/\//],
      ["https://ada:pass-word@searx.example", /holds credentials/],
      ["ftp://searx.example", /no http:\/\/ or https:\/\/ address/],
      ["searx.example", /no http:\/\/ or https:\/\/ address/],
    ] as const
  ) {
    const { isError, text, requests } = await search({ settings: { searxngUrl }, service: [] });
    assert.ok(isError);
    assert.match(text, reason);
    assert.doesNotMatch(text, /pass-word/);
    assert.equal(requests.length, 0);
  }
});

Deno.test("websearch takes a searxngUrl with a path, a slash or the whole address of searches", async () => {
  const answer = jsonAnswer({ results: [] });
  for (const [path, wanted] of [["/x/", "/x/search"], ["/search", "/search"]] as const) {
    const { startStubServer } = await import("../../support/stub_server.ts");
    await using server = await startStubServer([answer]);
    const found = await search({
      settings: { searxngUrl: `${server.origin}${path}` },
      service: [],
    });
    assert.ok(!found.isError, found.text);
    assert.equal(server.requests[0]?.path.split("?")[0], wanted);
  }
});

Deno.test("websearch asks DuckDuckGo Instant Answer and says what that is not", async () => {
  const found = await search({
    settings: { provider: "duckduckgo-instant" },
    service: [{
      headers: { "content-type": "application/x-javascript" },
      steps: [JSON.stringify({
        Abstract: "",
        AbstractSource: "Wikipedia",
        AbstractText: "Deno is a runtime.",
        AbstractURL: "https://en.wikipedia.org/wiki/Deno_(software)",
        Answer: "",
        AnswerType: "",
        Definition: "",
        DefinitionURL: "",
        Heading: "Deno",
        Results: [{ FirstURL: "https://deno.com/", Text: "Official site", Icon: {} }],
        RelatedTopics: [
          { FirstURL: "https://duckduckgo.com/Node.js", Text: "Node.js - Another runtime." },
          {
            Name: "See also",
            Topics: [{ FirstURL: "https://duckduckgo.com/V8", Text: "V8 - An engine." }],
          },
        ],
        Type: "A",
      })],
    }],
  });
  const { results, source, limitation } = found.json as Record<string, unknown>;
  assert.deepEqual(results, [
    {
      title: "Deno",
      url: "https://en.wikipedia.org/wiki/Deno_(software)",
      snippet: "Deno is a runtime.",
    },
    { title: "Official site", url: "https://deno.com/", snippet: "Official site" },
    {
      title: "Node.js",
      url: "https://duckduckgo.com/Node.js",
      snippet: "Node.js - Another runtime.",
    },
    { title: "V8", url: "https://duckduckgo.com/V8", snippet: "V8 - An engine." },
  ]);
  assert.equal(source, "duckduckgo-instant");
  assert.match(String(limitation), /no result does not mean that there is nothing/);
  const parameters = new URL(found.requests[0]?.path ?? "", "http://x").searchParams;
  assert.deepEqual(Object.fromEntries(parameters), {
    q: "deno permissions",
    format: "json",
    no_html: "1",
    no_redirect: "1",
    skip_disambig: "1",
  });
});

Deno.test("websearch says that Instant Answer knows nothing without calling that a failure", async () => {
  const found = await search({
    settings: { provider: "duckduckgo-instant" },
    service: [jsonAnswer({ Heading: "", AbstractText: "", Answer: {}, RelatedTopics: [] })],
  });
  assert.deepEqual((found.json as Record<string, unknown>)["results"], []);
});

Deno.test("websearch reads the page of DuckDuckGo without what was paid for", async () => {
  const found = await search({
    settings: { provider: "duckduckgo-html" },
    query: "a&b=c d",
    service: [pageAnswer(DUCKDUCKGO_PAGE)],
  });
  const { results, source } = found.json as Record<string, unknown>;
  assert.deepEqual(results, [
    {
      title: "Deno & permissions",
      url: "https://docs.example/perm?a=1&b=2",
      snippet: "What is allowed 'here'.",
    },
    { title: "Other", url: "https://other.example/", snippet: "" },
  ]);
  assert.equal(source, "duckduckgo-html");
  const [request] = found.requests;
  assert.equal(request?.method, "POST");
  assert.equal(request?.body, "q=a%26b%3Dc+d&b=");
});

Deno.test("websearch tells a page of DuckDuckGo that found nothing from one that asks for a person", async () => {
  const settings = { provider: "duckduckgo-html" } as const;
  const none = await search({
    settings,
    service: [pageAnswer('<div class="no-results">No results.</div>')],
  });
  assert.deepEqual((none.json as Record<string, unknown>)["results"], []);
  for (
    const service of [
      pageAnswer('<form id="challenge-form"><div class="anomaly-modal__title">…</div></form>'),
      pageAnswer('<form id="challenge-form"></form>', 202),
    ]
  ) {
    const challenge = await search({ settings, service: [service] });
    assert.ok(challenge.isError);
    assert.match(
      challenge.text,
      /for a robot's and wants to see a person; wait a while, or choose/,
    );
  }
  const other = await search({ settings, service: [pageAnswer("<p>Maintenance</p>")] });
  assert.match(other.text, /neither results nor word that there are none/);
});

Deno.test("websearch asks Tavily with the key in a header", async () => {
  const found = await search({
    settings: { provider: "tavily" },
    service: [jsonAnswer({
      query: "deno permissions",
      follow_up_questions: null,
      answer: null,
      images: [],
      results: [{
        title: PAGE.title,
        url: PAGE.url,
        content: PAGE.snippet,
        score: 0.98,
        raw_content: null,
      }],
      response_time: 1.1,
    })],
  });
  assert.deepEqual(found.json, { results: [PAGE], source: "tavily" });
  const [request] = found.requests;
  assert.equal(request?.method, "POST");
  assert.equal(request?.headers.get("authorization"), `Bearer ${KEY}`);
  assert.deepEqual(request?.json, {
    query: "deno permissions",
    max_results: 10,
    search_depth: "basic",
  });
});

Deno.test("websearch asks Brave with the key in a header, and makes text of its markup", async () => {
  const found = await search({
    settings: { provider: "brave" },
    service: [jsonAnswer({
      type: "search",
      query: { original: "deno permissions" },
      web: {
        type: "search",
        results: [{
          title: "Don&#x27;t panic",
          url: PAGE.url,
          description: "What is <strong>allowed</strong> &amp; what is not",
          family_friendly: true,
        }],
      },
    })],
  });
  assert.deepEqual(found.json, {
    results: [{
      title: "Don't panic",
      url: PAGE.url,
      snippet: "What is allowed & what is not",
    }],
    source: "brave",
  });
  const [request] = found.requests;
  assert.equal(request?.path, "/service?q=deno+permissions&count=10");
  assert.equal(request?.headers.get("x-subscription-token"), KEY);
  const none = await search({
    settings: { provider: "brave" },
    service: [jsonAnswer({ type: "search", query: { original: "x" } })],
  });
  assert.deepEqual(none.json, { results: [], source: "brave" });
});

Deno.test("websearch asks SerpApi, and takes its word that there is nothing", async () => {
  const settings = { provider: "serpapi" } as const;
  const found = await search({
    settings,
    service: [jsonAnswer({
      search_metadata: { status: "Success" },
      search_parameters: { engine: "google" },
      organic_results: [{
        position: 1,
        title: PAGE.title,
        link: PAGE.url,
        displayed_link: "docs.example",
        snippet: PAGE.snippet,
      }],
    })],
  });
  assert.deepEqual(found.json, { results: [PAGE], source: "serpapi" });
  const parameters = new URL(found.requests[0]?.path ?? "", "http://x").searchParams;
  assert.deepEqual(Object.fromEntries(parameters), {
    engine: "google",
    q: "deno permissions",
    num: "10",
    api_key: KEY,
  });
  const none = await search({
    settings,
    service: [jsonAnswer({
      search_metadata: { status: "Success" },
      error: "Google hasn't returned any results for this query.",
    })],
  });
  assert.deepEqual(none.json, { results: [], source: "serpapi" });
  const broken = await search({
    settings,
    service: [jsonAnswer({ error: `Unsupported \`x\` with ${KEY}.` })],
  });
  assert.match(broken.text, /answered: Unsupported `x` with \[redacted\]/);
});

Deno.test("websearch repeats what a service says of a refusal, and what to do about it", async () => {
  const rows = [
    ["tavily", 401, { detail: { error: "Unauthorized: missing or invalid API key." } }, {
      says:
        /Unauthorized: missing or invalid API key\.; check the key in the variable "TAVILY_API_KEY"/,
    }],
    ["tavily", 432, { detail: { error: "This request exceeds your plan's set usage limit." } }, {
      says: /usage limit\.; the plan of the key is used up/,
    }],
    ["brave", 422, {
      type: "ErrorResponse",
      error: {
        status: 422,
        code: "SUBSCRIPTION_TOKEN_INVALID",
        detail: "The provided subscription token is invalid.",
      },
    }, { says: /token is invalid\.; check the key in the variable "BRAVE_SEARCH_API_KEY"/ }],
    ["brave", 429, {
      type: "ErrorResponse",
      error: { status: 429, code: "RATE_LIMITED", detail: "Request rate limit exceeded" },
    }, { says: /rate limit exceeded; the searches that the key may do are used up/ }],
    ["serpapi", 401, { error: `Invalid API key ${KEY}.` }, {
      says: /Invalid API key \[redacted\]\.; check the key in the variable "SERPAPI_API_KEY"/,
    }],
    ["serpapi", 429, { error: "Your account has run out of searches." }, {
      says: /run out of searches\.; the searches that the key may do are used up/,
    }],
    ["serpapi", 500, "<html>", { says: /status 500$/ }],
    ["tavily", 400, { detail: ["x"] }, { says: /status 400$/ }],
  ] as const;
  for (const [provider, status, body, { says }] of rows) {
    const { isError, text } = await search({
      settings: { provider },
      service: [jsonAnswer(body, status)],
    });
    assert.ok(isError, text);
    assert.match(text, /^Cannot search the web: 127\.0\.0\.1:\d+ answered with status/);
    assert.match(text, says);
  }
});

Deno.test("websearch names the variable of a key that is missing or cannot be one, and asks nobody", async () => {
  for (
    const [provider, settings, env, says] of [
      ["tavily", {}, {}, /the variable "TAVILY_API_KEY" is not set/],
      [
        "brave",
        {},
        { BRAVE_SEARCH_API_KEY: " " },
        /the variable "BRAVE_SEARCH_API_KEY" is not set/,
      ],
      [
        "serpapi",
        { apiKeyEnv: "MY_KEY" },
        { SERPAPI_API_KEY: KEY },
        /the variable "MY_KEY" is not/,
      ],
      ["tavily", {}, { TAVILY_API_KEY: "one two\nthree" }, /holds characters that no key has/],
    ] as const
  ) {
    const found = await search({ settings: { provider, ...settings }, env, service: [] });
    assert.ok(found.isError);
    assert.match(found.text, says);
    assert.doesNotMatch(found.text, /one two/);
    assert.equal(found.requests.length, 0);
  }
});

Deno.test("websearch reads a key from the variable that the configuration names", async () => {
  const { requests } = await search({
    settings: { provider: "brave", apiKeyEnv: "MY_KEY" },
    env: { MY_KEY: `  ${KEY}\n` },
    service: [jsonAnswer({ type: "search" })],
  });
  assert.equal(requests[0]?.headers.get("x-subscription-token"), KEY);
});
