import assert from "node:assert/strict";
import { shownInput, shownText } from "../../../../core/gate/approval/shown_input.ts";

const KEY = "sk-proj-4f8Zq1Lw9XcVb7Nm2Kd5Rt";
const same = (text: string) => text;

Deno.test("shownText() takes keys out of a command line (row R33)", () => {
  const rows: readonly (readonly [string, string])[] = [
    [
      `curl -H "Authorization: Bearer ${KEY}" https://x`,
      'curl -H "Authorization: Bearer [redacted]" https://x',
    ],
    [`API_KEY=hunter22 make`, "API_KEY=[redacted] make"],
    ["deploy --token hunter22 --dry", "deploy --token [redacted] --dry"],
    ["deploy --password='hunter22'", "deploy --password='[redacted]'"],
    ["git clone https://ada:hunter22@host/x", "git clone https://ada:[redacted]@host/x"],
    [`echo ${KEY}; ls`, "echo [redacted]; ls"],
    ["ls --color token primary", "ls --color token primary"],
  ];
  for (const [text, expected] of rows) assert.equal(shownText(text, same), expected);
});

Deno.test("shownText() hides nothing that a shell would act on", () => {
  const rows = [
    "echo token: x; rm -rf ~",
    'deploy --token "$(rm -rf ~)"',
    "PASSWORD=`rm -rf ~` true",
    'deploy --token "a$(rm -rf ~)"',
    'curl -H "Authorization: $(rm -rf ~)"',
    "-----BEGIN PRIVATE KEY-----\nrm -rf ~\n-----END PRIVATE KEY-----",
    "API_KEY=hunter22;rm -rf ~",
    "API_KEY=hunter22&&rm -rf ~",
    "https://a:b@c;rm -rf ~",
    "TOKEN= rm -rf ~",
    "echo token:\nrm -rf ~",
    "deploy --token\nrm -rf ~",
    "echo Bearer\nrm -rf ~",
    "Bearer $(rm -rf ~)",
    "x --secret 'rm -rf ~'",
  ];
  for (const text of rows) assert.match(shownText(text, same), /rm -rf ~/, text);
  assert.match(shownText("deploy --token\nshutdown-everything", same), /shutdown-everything/);
  assert.match(shownText("echo token:\nshutdown-everything", same), /shutdown-everything/);
});

Deno.test("shownText() hides no word that could be the program", () => {
  const rows = [
    "sudo -password reboot",
    "sudo -password ./evil.sh x",
    "TOKEN=/bin/sh; $TOKEN -c x",
    "API_KEY=reboot && $API_KEY",
    "password: ~/evil --x",
  ];
  for (const text of rows) assert.equal(shownText(text, same), text);
  const args = ["-password", "reboot", "--token", "../x.sh", "--token", "hunter22"];
  assert.deepEqual(shownInput({ command: "sudo", args }, same), {
    command: "sudo",
    args: [...args.slice(0, -1), "[redacted]"],
  });
});

Deno.test("shownInput() looks at keys, however deep, and leaves other texts as they are", () => {
  const input = {
    path: "src/token.ts",
    content: 'const token: string = readToken();\nconst password = "hunter22";',
    nested: { list: [{ apiKey: "abc def", maxTokens: 12 }] },
    args: ["--password", "hunter22", "--verbose", "yes"],
    note: `see ${KEY}`,
  };
  assert.deepEqual(shownInput(input, same), {
    ...input,
    nested: { list: [{ apiKey: "[redacted]", maxTokens: 12 }] },
    args: ["--password", "[redacted]", "--verbose", "yes"],
    note: "see [redacted]",
  });
});

Deno.test("shownInput() takes time in proportion to the length", () => {
  for (const piece of ["a", "token=", "Bearer ", "://a:", "--token ", "sk-"]) {
    const text = piece.repeat(Math.ceil(200_000 / piece.length));
    const startedAt = performance.now();
    shownText(text, same);
    assert.ok(performance.now() - startedAt < 3_000, piece);
  }
});
