import { equal, throws } from "node:assert/strict";
import { configHome, type Environment, stateHome } from "../../../core/config/directories.ts";

interface Row {
  readonly name: string;
  readonly env: Environment;
  readonly config: string;
  readonly state: string;
}

const ROWS: readonly Row[] = [
  {
    name: "the home folder",
    env: { HOME: "/home/ana" },
    config: "/home/ana/.config/alisio",
    state: "/home/ana/.local/state/alisio",
  },
  {
    name: "XDG folders over the home folder",
    env: { HOME: "/home/ana", XDG_CONFIG_HOME: "/x/config", XDG_STATE_HOME: "/x/state" },
    config: "/x/config/alisio",
    state: "/x/state/alisio",
  },
  {
    name: "relative and empty XDG folders are ignored",
    env: { HOME: "/home/ana", XDG_CONFIG_HOME: "config", XDG_STATE_HOME: "" },
    config: "/home/ana/.config/alisio",
    state: "/home/ana/.local/state/alisio",
  },
  {
    name: "ALISIO folders over all",
    env: {
      HOME: "/home/ana",
      XDG_CONFIG_HOME: "/x",
      XDG_STATE_HOME: "/x",
      ALISIO_CONFIG_HOME: "/a/config/",
      ALISIO_STATE_HOME: "/a/state",
    },
    config: "/a/config",
    state: "/a/state",
  },
  {
    name: "an empty ALISIO folder counts as unset",
    env: { HOME: "/home/ana", ALISIO_CONFIG_HOME: "", ALISIO_STATE_HOME: "" },
    config: "/home/ana/.config/alisio",
    state: "/home/ana/.local/state/alisio",
  },
];

for (const { name, env, config, state } of ROWS) {
  Deno.test(`configHome() and stateHome() use ${name}`, () => {
    equal(configHome(env), config);
    equal(stateHome(env), state);
  });
}

Deno.test("configHome() refuses a relative ALISIO_CONFIG_HOME, which a repository could provide", () => {
  throws(() => configHome({ HOME: "/home/ana", ALISIO_CONFIG_HOME: "conf" }), {
    code: "config_invalid",
    message:
      'Cannot use the variable "ALISIO_CONFIG_HOME": it holds a relative path; set it to an absolute one',
  });
});

Deno.test("stateHome() says what to set when there is no home folder", () => {
  throws(() => stateHome({}), {
    code: "config_invalid",
    message: /set "HOME" or "ALISIO_STATE_HOME"/,
  });
});
