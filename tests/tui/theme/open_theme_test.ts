import assert from "node:assert/strict";
import { join } from "node:path";
import { askBackground } from "../../../tui/theme/background_colour.ts";
import { listThemes, openTheme } from "../../../tui/theme/open_theme.ts";
import type { TerminalLook } from "../../../tui/theme/theme.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const LOOK: TerminalLook = { depth: "true", unicode: true, background: "dark" };

Deno.test("openTheme() opens a theme of the person over the built-in one of its background", async () => {
  await withTempDir(async (configHome) => {
    await writeTree(configHome, {
      "themes/sea.json": JSON.stringify({
        background: "light",
        roles: {
          accent: "#001122",
          error: { color: 9, bold: true, underline: true },
          dim: "default",
        },
      }),
    });
    const { theme, problem } = await openTheme("sea", { look: LOOK, configHome });
    assert.deepEqual(
      [
        theme.name,
        problem,
        ...(["accent", "error", "dim", "success"] as const).map((role) => theme.paint(role, "x")),
      ],
      [
        "sea",
        undefined,
        "\x1b[38;2;0;17;34mx\x1b[39m",
        "\x1b[91;1;4mx\x1b[39;22;24m",
        "\x1b[39mx\x1b[39m",
        "\x1b[38;2;31;111;42mx\x1b[39m",
      ],
    );
  });
});

Deno.test("openTheme() says what is wrong with a theme, and goes on without it", async () => {
  await withTempDir(async (configHome) => {
    const file = (name: string) => join(configHome, "themes", `${name}.json`);
    await writeTree(configHome, {
      "themes/broken.json": "{",
      "themes/wrong.json": JSON.stringify({
        background: "grey",
        colours: {},
        roles: { acent: "#fff", error: "red", dim: { color: 256, bold: 1, blink: true } },
      }),
      "themes/huge.json": " ".repeat(70_000),
    });
    const rows: readonly (readonly [name: string, problem: string])[] = [
      [
        "none",
        `Cannot use theme "none": there is no file "${
          file("none")
        }"; correct "tui.theme", or the file`,
      ],
      [
        "../x",
        'Cannot use theme "../x": a theme is named in lower case, such as my-theme; correct "tui.theme", or the file',
      ],
      [
        "huge",
        `Cannot use theme "huge": "${
          file("huge")
        }": it is larger than the limit of 65536 bytes; correct "tui.theme", or the file`,
      ],
      [
        "wrong",
        [
          `Cannot use configuration "${file("wrong")}": 7 problems; correct the file:`,
          '  "colours" is not known; there is background, roles',
          '  "background" must be "dark" or "light"',
          '  "roles.acent" is not known; did you mean "accent"?',
          '  "roles.error" must be "#rrggbb", a number from 0 to 255, or "default", or an object',
          '  "roles.dim.blink" is not known; there is color, background, bold, faint, italic, underline, inverse',
          '  "roles.dim.color" must be "#rrggbb", a number from 0 to 255, or "default"',
          '  "roles.dim.bold" must be true or false',
        ].join("\n"),
      ],
    ];
    for (const [name, problem] of rows) {
      const opened = await openTheme(name, { look: LOOK, configHome });
      assert.deepEqual([opened.theme.name, opened.problem], ["auto", problem]);
    }
    const { problem = "" } = await openTheme("broken", { look: LOOK, configHome });
    assert.ok(
      problem.startsWith(`Cannot use configuration "${file("broken")}": it is not valid JSON`),
    );
  });
});

Deno.test("listThemes() lists what can be chosen", async () => {
  await withTempDir(async (configHome) => {
    assert.deepEqual(await listThemes(configHome), ["auto", "dark", "light"]);
    await writeTree(configHome, {
      "themes/sea.json": "{}",
      "themes/dark.json": "{}",
      "themes/Bad Name.json": "{}",
      "themes/notes.txt": "",
      "themes/ash.json": "{}",
    });
    assert.deepEqual(await listThemes(configHome), ["auto", "dark", "light", "ash", "sea"]);
  });
});

Deno.test("askBackground() takes the terminal's answer, however late", async () => {
  const white = { background: { r: 250, g: 250, b: 250 } };
  const black = { background: { r: 20, g: 20, b: 40 } };
  const late: string[] = [];
  const ask = (colours: Promise<typeof white | Record<never, never>>) =>
    askBackground({
      queryTerminalColors: ({ onLateReply }) => {
        onLateReply?.(white);
        onLateReply?.({});
        return colours;
      },
    }, (background) => late.push(background));
  assert.deepEqual(
    [
      await ask(Promise.resolve(black)),
      await ask(Promise.resolve({})),
      await ask(Promise.reject(new Error("closed"))),
    ],
    ["dark", undefined, undefined],
  );
  assert.deepEqual(late, ["light", "light", "light"]);
});
