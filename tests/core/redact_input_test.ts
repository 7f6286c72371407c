import assert from "node:assert/strict";
import { REDACTED } from "../../core/redact.ts";
import { redactInput, summarizeInput } from "../../core/redact_input.ts";

/** Joined, so that scanners pass over this file. */
const GITHUB = `ghp_${"AbCdEfGhIj0123456789KlMnOpQrSt"}abcdef`;
const CONFIGURED = 'hush "quoted" \\ value';

/** What a model writes, and what may be seen of it. */
const INPUTS: readonly (readonly [name: string, input: unknown, seen: unknown])[] = [
  ["a key", { apiKey: "x", api_key: "y", key: "z" }, {
    apiKey: REDACTED,
    api_key: REDACTED,
    key: "z",
  }],
  [
    "a nested key",
    { a: [{ headers: { Authorization: "Basic eA==", Accept: "text/html" } }] },
    { a: [{ headers: { Authorization: REDACTED, Accept: "text/html" } }] },
  ],
  ["a whole object", { credentials: { user: "u", pin: 1 } }, { credentials: REDACTED }],
  ["a number", { password: 1234, maxTokens: 99 }, { password: REDACTED, maxTokens: 99 }],
  ["no secret", { hasToken: true, token: null }, { hasToken: true, token: null }],
  ["a shape", { content: `a ${GITHUB} b` }, { content: `a ${REDACTED} b` }],
  ["a shape in a name", { [GITHUB]: 1 }, { [REDACTED]: 1 }],
  ["a configured value", { content: `a ${CONFIGURED} b` }, { content: `a ${REDACTED} b` }],
  ["code that names one", { newText: "password: string;" }, { newText: "password: string;" }],
  ["an address", { path: "https://me:pass@host/x" }, { path: `https://${REDACTED}@host/x` }],
  [
    "words after an option",
    { command: "psql", args: ["--password", "hunter", "--db", "shop", "--token", "$TOKEN"] },
    { command: "psql", args: ["--password", REDACTED, "--db", "shop", "--token", "$TOKEN"] },
  ],
  [
    "a user and password in words of their own",
    { args: ["-u", "me:hunter", "--user", "a:b", "-ume:x", "--user=m:y", "--oauth2-bearer", "ab"] },
    {
      args: [
        ...["-u", REDACTED, "--user", REDACTED, `-u${REDACTED}`, `--user=${REDACTED}`],
        ...["--oauth2-bearer", REDACTED],
      ],
    },
  ],
  [
    "words that are no user and password",
    { args: ["-u", "1000:1000", "-u", "me", "--user", "$ME:$PW", "-u", "http://x:1", "a:b"] },
    { args: ["-u", "1000:1000", "-u", "me", "--user", "$ME:$PW", "-u", "http://x:1", "a:b"] },
  ],
];

for (const [name, input, seen] of INPUTS) {
  Deno.test(`R33: redactInput() by key and value: ${name}`, () => {
    assert.deepEqual(JSON.parse(redactInput(JSON.stringify(input), [CONFIGURED])), seen);
  });
}

/** Each command that holds a secret, as it is seen, and one like it that holds none. */
const COMMANDS: readonly (readonly [command: string, seen: string, harmless: string])[] = [
  ["PGPASSWORD=hunter psql", `PGPASSWORD=${REDACTED} psql`, "PGDATABASE=hunter psql"],
  ["export A_TOKEN='a b' x", `export A_TOKEN=${REDACTED} x`, "export A_TOKEN=$B x"],
  ["psql --password=hunter x", `psql --password=${REDACTED} x`, 'psql --password="$PW" x'],
  ["gh --token hunter x", `gh --token ${REDACTED} x`, "gh --token --verbose x"],
  ["sh -c 'gh --token hunter'", `sh -c 'gh --token ${REDACTED}'`, "sh -c 'gh --title hunter'"],
  [
    'curl http://h -H "X-Api-Key: abc" -v',
    `curl http://h -H "X-Api-Key: ${REDACTED}" -v`,
    'curl http://h -H "X-Name: abc" -v',
  ],
  [
    "curl -H 'Cookie: a=b; c=d' h",
    `curl -H 'Cookie: ${REDACTED}' h`,
    "curl -H 'Accept: a=b; c=d' h",
  ],
  ["curl -u me:hunter h", `curl -u ${REDACTED} h`, "docker run -u me:hunter h"],
  ["curl --user=me:hunter h", `curl --user=${REDACTED} h`, "curl --user-agent me h"],
  [
    "curl 'https://h/?a=1&api_key=hunter&b=2'",
    `curl 'https://h/?a=1&api_key=${REDACTED}&b=2'`,
    "curl 'https://h/?a=1&page=hunter&b=2'",
  ],
  [
    "x --url=https://h/?token=hunter",
    `x --url=https://h/?token=${REDACTED}`,
    "x --url=https://h/?page=hunter",
  ],
  [
    `curl -d '{"api_key": "hunter"}' h`,
    `curl -d '{"api_key": "${REDACTED}"}' h`,
    `echo '{"a": "b"}'`,
  ],
  [
    "git clone https://me:hunter@host/r.git",
    `git clone https://${REDACTED}@host/r.git`,
    "git clone ssh://git@host:22/r.git",
  ],
  [`echo ${GITHUB}`, `echo ${REDACTED}`, "echo ghp_short"],
];

for (const [command, seen, harmless] of COMMANDS) {
  Deno.test(`R33: redactInput() in a command line: ${seen}`, () => {
    for (const key of ["command", "cmd", "script"]) {
      const shown = (text: string) => JSON.parse(redactInput(JSON.stringify({ [key]: text }), []));
      assert.deepEqual(shown(command), { [key]: seen });
      assert.deepEqual(shown(harmless), { [key]: harmless });
    }
  });
}

Deno.test("R33: redactInput() treats text that is no JSON as a command line", () => {
  assert.equal(redactInput('{"api_key": "hunter', []), `{"api_key": "${REDACTED}`);
  assert.equal(redactInput("", []), "");
});

Deno.test("R33: redactInput() leaves nothing of a known value, wherever it stands", () => {
  const secrets = [CONFIGURED, "12345678", "päss wörd/é", "line\nbreak\tsecret", "a+b&c=d?e#f"];
  for (const secret of secrets) {
    const places: readonly unknown[] = [
      secret,
      { path: `x/${secret}/y` },
      { command: `echo '${secret}' && x=${secret}` },
      { command: "x", args: ["-v", secret, `--a=${secret}`] },
      { [secret]: { [`k ${secret}`]: [[secret]] } },
      { url: `https://h/?q=${encodeURIComponent(secret)}` },
      { body: JSON.stringify({ inner: JSON.stringify({ a: secret }) }) },
      { count: 12345678, list: [12345678] },
    ];
    for (const input of places) {
      const json = JSON.stringify(input);
      for (const text of [json, json.slice(0, -1)]) {
        const seen = redactInput(text, secrets) + JSON.stringify(summarizeInput(text, secrets));
        for (const each of secrets) {
          const escaped = JSON.stringify(each).slice(1, -1);
          for (const form of [each, escaped, encodeURIComponent(each)]) {
            assert.ok(!seen.includes(form), `${form} in ${seen}`);
          }
        }
      }
    }
  }
});

Deno.test("redactInput() replaces what is too deep to look through", () => {
  const deep = `${"[".repeat(200)}"x"${"]".repeat(200)}`;
  const seen = redactInput(deep, []);
  assert.ok(seen.includes(REDACTED) && !seen.includes('"x"'), seen);
});

Deno.test("redactInput() takes time in proportion to a hostile text", () => {
  const texts = [
    "a".repeat(400_000),
    "--a ".repeat(100_000),
    "token=".repeat(60_000),
    "a:".repeat(
      200_000,
    ),
    "curl -u ".repeat(50_000),
    "x://a".repeat(80_000),
  ];
  for (const text of texts) {
    const startedAt = performance.now();
    redactInput(JSON.stringify({ command: text }), [CONFIGURED]);
    assert.ok(performance.now() - startedAt < 3_000, text.slice(0, 20));
  }
});

Deno.test("summarizeInput() puts the path first, then the command, else the input", () => {
  const rows: readonly (readonly [unknown, unknown])[] = [
    [{ content: "x", path: "src/a.ts" }, { summary: "src/a.ts", path: "src/a.ts" }],
    [{ command: "git push" }, { summary: "git push", command: "git push" }],
    [
      { command: "rm", args: ["-r", "a b"], path: "src" },
      { summary: "src rm -r a b", path: "src", command: "rm -r a b" },
    ],
    [{ pattern: "x" }, { summary: '{"pattern":"x"}' }],
    [{ path: "" }, { summary: '{"path":""}' }],
    ["text", { summary: '"text"' }],
    [
      { path: `${GITHUB}/a`, command: `echo --token ${"x".repeat(100)}` },
      {
        summary: `${REDACTED}/a echo --token ${REDACTED}`,
        path: `${REDACTED}/a`,
        command: `echo --token ${REDACTED}`,
      },
    ],
  ];
  for (const [input, summary] of rows) {
    assert.deepEqual(summarizeInput(JSON.stringify(input), []), summary);
  }
});

Deno.test("summarizeInput() keeps 80 characters, and secrets are gone before it cuts", () => {
  const { summary, path, command } = summarizeInput(
    JSON.stringify({ path: "é".repeat(500), command: `${"y".repeat(70)} ${GITHUB}` }),
    [],
  );
  assert.equal(summary.length, 80);
  assert.equal(path?.length, 301);
  assert.equal(command, `${"y".repeat(70)} ${REDACTED}`);
  const cut = summarizeInput(JSON.stringify({ command: `${"y".repeat(70)} ${GITHUB}` }), []);
  assert.ok(!cut.summary.includes("ghp"), cut.summary);
});
