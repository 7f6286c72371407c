import type { PromptTemplate } from "./prompt_template.ts";

/** `/init`: writes, or brings up to date, the `AGENTS.md` of a project. */
export const INIT_TEMPLATE: PromptTemplate = {
  name: "init",
  description: "Write or update AGENTS.md: what an agent must know to work in this project",
  argumentHint: "[focus]",
  requires: ["write"],
  source: "builtin",
  body:
    `Write the file AGENTS.md at the root of this workspace, or bring it up to date. It tells an agent who has never seen this project what it must know to work here.

First look, with tools that only read:
- Read AGENTS.md, README and the manifests of packages and builds that are there, and the configuration of tests, formatters, linters and CI.
- List the folders, and read the few files that show how the parts fit together.
- Do not read .env files, keys or other secrets, and name none of their values.

Then write, in at most 150 lines:
- What the project is, in a sentence or two.
- The commands to build, run, test, lint and format, the one for a single test too, exactly as the project defines them.
- Where things are, and which part depends on which: what cannot be seen from one file alone.
- Conventions that the code follows and that somebody would get wrong.
- Rules that the project itself states.

Only what you found in files: leave out what you suppose, general advice and long lists of files. Keep what an AGENTS.md that is there says and is still true, in its own words.

If there is no AGENTS.md, create it with write_file and expectedHash null. If there is one, change it with edit_file and the hash of your last read, only where it is wrong or lacks something. Never replace it unread.

At the end, say in a few lines what you wrote or changed, and what you could not verify.

Pay attention to this in particular, if anything follows: $ARGUMENTS`,
};
