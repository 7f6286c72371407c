import { join } from "node:path";
import { writeTree } from "../support/temp.ts";
import { createRepository } from "./_git_repository.ts";

/** Ways in which a repository's configuration starts a program, by the name of its marker. */
function hostileConfiguration(markers: string): string {
  const drop = (name: string) => `touch ${markers}/${name}`;
  return `
[core]
  fsmonitor = "${drop("fsmonitor")}; false"
  pager = "${drop("core-pager")}; cat"
  hooksPath = ${markers}-hooks
  sshCommand = "${drop("ssh")}; false"
  editor = "${drop("editor")}"
  askPass = ${markers}-askpass
[pager]
  status = "${drop("pager-status")}; cat"
  diff = "${drop("pager-diff")}; cat"
[diff]
  external = "${drop("diff-external")}; :"
  submodule = diff
[diff "evil"]
  command = "${drop("diff-command")}; :"
  textconv = "${drop("diff-textconv")}; cat"
  cachetextconv = true
[diff "conv"]
  textconv = "${drop("conv")}; cat"
[filter "clean"]
  clean = "${drop("filter-clean")}; cat"
  smudge = "${drop("filter-smudge")}; cat"
  required = true
[filter "pro.cess"]
  process = "${drop("filter-process")}"
[merge "evil"]
  driver = "${drop("merge")}"
[credential]
  helper = "!${drop("credential")}; :"
[gpg]
  program = "${drop("gpg")}"
[alias]
  status = "!${drop("alias")}"
  diff = "!${drop("alias")}"
[status]
  submoduleSummary = true
[include]
  path = ../more.config
`;
}

/**
 * Makes a repository whose configuration starts programs in every way that Git has. Each of them
 * leaves a file with its own name.
 *
 * @param workspace Where.
 * @param markers An absent folder, which takes those files.
 */
export async function createHostileRepository(workspace: string, markers: string): Promise<void> {
  await Deno.mkdir(markers, { recursive: true });
  await createRepository(workspace, {
    "driver.txt": "1\n",
    "conv.txt": "1\n",
    "clean.txt": "1\n",
    "process.txt": "1\n",
    "included.txt": "1\n",
    "plain.txt": "1\n",
    ".gitattributes": "driver.txt diff=evil\nconv.txt diff=conv\nclean.txt filter=clean\n" +
      "included.txt filter=Included\n",
  });
  // Attributes that no working tree file shows.
  await writeTree(workspace, {
    ".git/info/attributes": "process.txt filter=pro.cess\n",
    "more.config": `[filter "Included"]\n  clean = "touch ${markers}/included; cat"\n`,
  });
  for (const hooks of [join(workspace, ".git", "hooks"), `${markers}-hooks`]) {
    for (const hook of ["post-index-change", "pre-auto-gc", "reference-transaction"]) {
      await writeTree(hooks, { [hook]: `#!/bin/sh\ntouch ${markers}/hook-${hook}\n` });
      await Deno.chmod(join(hooks, hook), 0o755);
    }
  }
  const names = ["driver", "conv", "clean", "process", "included", "plain"];
  await writeTree(workspace, Object.fromEntries(names.map((name) => [`${name}.txt`, "22\n"])));
  const path = join(workspace, ".git", "config");
  const config = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, config + hostileConfiguration(markers));
}

/**
 * Looks at such a repository as a plain Git does.
 *
 * @param workspace Where it is.
 * @returns Files that must be there afterwards, or the repository was harmless.
 */
export async function plainGitSets(workspace: string): Promise<readonly string[]> {
  const noProcess = ["-c", "filter.pro.cess.process="];
  const plain = [
    ["status"],
    ["diff"],
    [...noProcess, "diff"],
    [...noProcess, "diff", "--no-ext-diff"],
  ];
  for (const args of plain) {
    await new Deno.Command("git", { args, cwd: workspace, stdin: "null" }).output();
  }
  return [
    "fsmonitor",
    "filter-clean",
    "filter-process",
    "included",
    "diff-external",
    "diff-command",
    "conv",
    "hook-post-index-change",
  ];
}
