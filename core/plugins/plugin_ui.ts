import type { PluginUi } from "@alisio/sdk";

/**
 * What plugins are given where no interface shows anything of theirs: their texts and panels go
 * nowhere, and nobody answers.
 */
export const UNSHOWN_UI: PluginUi = {
  status() {},
  panel: () => () => {},
  select: () => Promise.resolve(undefined),
  open: () => false,
  interactive: () => false,
};
