import assert from "node:assert/strict";
import type { ColourDepth } from "../../../tui/theme/theme.ts";
import { answersQueries, terminalLook } from "../../../tui/theme/terminal_look.ts";

type Environment = Readonly<Record<string, string>>;

Deno.test("terminalLook() finds how many colours there are", () => {
  const rows: readonly (readonly [Environment, ColourDepth])[] = [
    [{ TERM: "xterm-256color", COLORTERM: "truecolor" }, "true"],
    [{ TERM: "xterm-256color", COLORTERM: "24bit" }, "true"],
    [{ TERM: "xterm-256color" }, "256"],
    [{ TERM: "xterm" }, "16"],
    [{ TERM: "linux" }, "16"],
    [{ TERM: "rxvt" }, "16"],
    [{ TERM: "vt100" }, "none"],
    [{ TERM: "vt220" }, "none"],
    [{ TERM: "dumb" }, "none"],
    [{ TERM: "" }, "none"],
    [{ TERM: "xterm-kitty" }, "true"],
    [{ TERM: "xterm-ghostty" }, "true"],
    [{ TERM: "alacritty" }, "true"],
    [{ TERM: "foot" }, "true"],
    [{ TERM: "xterm-direct" }, "true"],
    [{ TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" }, "true"],
    [{ TERM: "xterm-256color", TERM_PROGRAM: "Apple_Terminal" }, "256"],
    [{ TERM: "xterm-256color", WT_SESSION: "1" }, "true"],
    [{ TERM: "xterm-256color", VTE_VERSION: "6003" }, "true"],
    [{ TERM: "xterm-256color", VTE_VERSION: "3400" }, "256"],
    [{ TERM: "xterm-256color", KONSOLE_VERSION: "220401" }, "true"],
    // In a multiplexer, only what it says itself counts.
    [{ TERM: "tmux-256color", TMUX: "/tmp/tmux-0/default,1,0" }, "256"],
    [{ TERM: "screen", TMUX: "/tmp/tmux-0/default,1,0" }, "256"],
    [{ TERM: "screen-256color", TMUX: "/x", VTE_VERSION: "6003" }, "256"],
    [{ TERM: "tmux-256color", TMUX: "/x", COLORTERM: "truecolor" }, "true"],
    [{ TERM: "screen", COLORTERM: "truecolor" }, "16"],
    [{ TERM: "screen-256color", COLORTERM: "truecolor" }, "256"],
    // What the person says counts before what the terminal says.
    [{ TERM: "xterm-kitty", NO_COLOR: "1" }, "none"],
    [{ TERM: "xterm-kitty", NO_COLOR: "" }, "true"],
    [{ TERM: "xterm-kitty", NO_COLOR: "1", FORCE_COLOR: "3" }, "none"],
    [{ TERM: "dumb", FORCE_COLOR: "1" }, "16"],
    [{ TERM: "xterm", FORCE_COLOR: "2" }, "256"],
    [{ TERM: "xterm", FORCE_COLOR: "3" }, "true"],
    [{ TERM: "vt100", FORCE_COLOR: "true" }, "16"],
    [{ TERM: "xterm-256color", FORCE_COLOR: "" }, "256"],
    [{ TERM: "xterm-kitty", FORCE_COLOR: "0" }, "none"],
    [{ TERM: "xterm-kitty", FORCE_COLOR: "false" }, "none"],
  ];
  for (const [env, depth] of rows) {
    assert.equal(terminalLook(env).depth, depth, JSON.stringify(env));
  }
});

Deno.test("answersQueries() leaves terminals alone that would show the question", () => {
  const terms = ["xterm-256color", "tmux-256color", "linux", "vt220", "dumb", ""];
  assert.deepEqual(
    terms.map((TERM) => answersQueries({ TERM })),
    [true, true, false, false, false, false],
  );
  assert.equal(answersQueries({}), false);
});

Deno.test("terminalLook() finds whether there is more than ASCII", () => {
  const rows: readonly (readonly [Environment, boolean])[] = [
    [{ TERM: "xterm" }, true],
    [{ TERM: "xterm", LANG: "es_ES.UTF-8" }, true],
    [{ TERM: "xterm", LANG: "C.utf8" }, true],
    [{ TERM: "xterm", LANG: "es_ES" }, true],
    [{ TERM: "xterm", LANG: "C" }, false],
    [{ TERM: "xterm", LANG: "en_US.UTF-8", LC_ALL: "POSIX" }, false],
    [{ TERM: "xterm", LANG: "C", LC_CTYPE: "en_US.UTF-8" }, true],
    [{ TERM: "xterm", LANG: "C", LC_ALL: "" }, false],
    [{ TERM: "xterm", LANG: "ja_JP.eucJP" }, false],
    [{ TERM: "xterm", LANG: "de_DE.ISO-8859-1@euro" }, false],
    [{ TERM: "linux", LANG: "en_US.UTF-8" }, false],
    [{ TERM: "vt220", LANG: "en_US.UTF-8" }, false],
    [{ TERM: "dumb", LANG: "en_US.UTF-8" }, false],
  ];
  for (const [env, unicode] of rows) {
    assert.equal(terminalLook(env).unicode, unicode, JSON.stringify(env));
  }
});

Deno.test("terminalLook() finds whether the background is dark or light", () => {
  const rows: readonly (readonly [string | undefined, "dark" | "light"])[] = [
    [undefined, "dark"],
    ["15;0", "dark"],
    ["12;8", "dark"],
    ["0;default;15", "light"],
    ["0;7", "light"],
    ["0;11", "light"],
    ["0;default", "dark"],
    ["15;99", "dark"],
  ];
  for (const [COLORFGBG, background] of rows) {
    const env = COLORFGBG === undefined ? {} : { COLORFGBG };
    assert.equal(terminalLook(env).background, background, COLORFGBG);
  }
  assert.equal(terminalLook({ COLORFGBG: "15;0" }, "light").background, "light");
});
