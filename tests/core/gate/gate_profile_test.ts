import assert from "node:assert/strict";
import { outcomeOf, withProfile } from "../../support/profile_scene.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const WRITE = ["write_file", { path: "new.md" }] as const;
const STATUS = ["shell", { command: "git status" }] as const;

Deno.test("Gate.call() asks as a profile and its lists say (rows R1 to R6)", async () => {
  const once = { answers: ["once"] } as const;
  await withProfile(
    { autoApprove: ["write_file"], alwaysAsk: ["write_file"] },
    once,
    async ({ call, asked }) => {
      assert.equal(outcomeOf(await call(...WRITE)), "ran", "R1");
      assert.deepEqual(asked.map(({ choices }) => choices), [["once", "deny", "edit"]], "R1");
    },
  );
  await withProfile({ autoApprove: ["write_file"] }, { ...once, allowWrite: true }, async (it) => {
    assert.equal(outcomeOf(await it.call(...WRITE)), "ran", "R1, the neighbour");
    assert.equal(it.asked.length, 0, "R1, the neighbour");
  });
  await withProfile(
    { level: "full", alwaysAsk: ["shell"] },
    { ...once, allowProcess: true },
    async (
      { call, asked },
    ) => {
      await call(...STATUS);
      await call("run_process", { command: "git", args: ["status"] });
      assert.deepEqual(asked.map(({ tool }) => tool), ["shell", "run_process"], "R2");
    },
  );
  await withProfile(
    { level: "full", alwaysAsk: ["*"] },
    { allowWrite: true, allowProcess: true },
    async ({ call, ran, offered }) => {
      for (const [tool, input] of [WRITE, STATUS]) {
        assert.equal(outcomeOf(await call(tool, input)), "risk-profile:alwaysAsk", "R3");
      }
      assert.deepEqual([ran, offered()], [[], []], "R3");
    },
  );
  await withProfile({ alwaysAsk: ["write_file"] }, { answers: ["session"] }, async (it) => {
    // Not on offer, so it is no answer: a grant of an earlier session never stands either.
    assert.equal(outcomeOf(await it.call(...WRITE)), "risk-profile:alwaysAsk", "R4");
    assert.deepEqual(it.ran, [], "R4");
  });
  await withProfile(
    { level: "readonly", alwaysAsk: ["write_file"] },
    { answers: ["once"], allowWrite: true },
    async ({ call, asked }) => {
      assert.equal(outcomeOf(await call(...WRITE)), "risk-profile:level", "R5");
      assert.equal(asked.length, 0, "R5");
    },
  );
  await withProfile({}, { answers: ["session", "deny"] }, async (
    { call, asked, ran },
  ) => {
    await call("shell", { command: "git commit -m x" });
    await call("shell", { command: "git add . && git commit -m y" });
    assert.equal(asked.length, 1, "R6");
    const blocked = outcomeOf(await call("shell", { command: "rm -rf x" }));
    assert.equal(blocked, "risk-profile:command:list", "R6");
    assert.deepEqual(ran, ["shell git commit -m x", "shell git add . && git commit -m y"], "R6");
  });
});

Deno.test("Gate.call() counts what ran, and nothing else (rows R36 and R37)", async () => {
  const options = { answers: ["deny", "once"] } as const;
  await withProfile({ maxActionsPerHour: 1 }, options, async ({ call, ran }) => {
    assert.equal(outcomeOf(await call(...WRITE)), "risk-profile:medium", "R36");
    assert.equal(outcomeOf(await call(...WRITE)), "ran", "R36");
    assert.equal(outcomeOf(await call(...WRITE)), "risk-profile:maxActionsPerHour", "R36");
    assert.equal(outcomeOf(await call("read_file", { path: "notes.md" })), "ran", "R36");
    assert.equal(ran.length, 2, "R36");
  });
  await withProfile({ maxActionsPerHour: 0 }, { answers: ["once"] }, async ({ call, asked }) => {
    for (const [tool, input] of [WRITE, STATUS]) {
      assert.equal(outcomeOf(await call(tool, input)), "risk-profile:maxActionsPerHour", "R37");
    }
    assert.equal(asked.length, 0, "R37");
  });
});

Deno.test("Gate.call() gives the last action to one of two calls that wait for it", async () => {
  await withProfile({ maxActionsPerHour: 1 }, { answers: ["once"] }, async ({ call, records }) => {
    const both = await Promise.all([call(...WRITE), call("write_file", { path: "other.md" })]);
    const outcomes = both.map(outcomeOf).toSorted();
    assert.deepEqual(outcomes, ["ran", "risk-profile:maxActionsPerHour"]);
    assert.equal(records.length, 1);
  });
});

Deno.test("Gate.call() takes no action for a call that cannot be recorded", async () => {
  await withProfile({ maxActionsPerHour: 1 }, { answers: ["once"] }, async ({ call, ran }) => {
    await assert.rejects(call(...WRITE, { fails: true }), /the disk is full/);
    assert.equal(outcomeOf(await call(...WRITE)), "ran");
    assert.equal(ran.length, 1);
  });
});

Deno.test("Gate.call() grades the commands of both tools by what they run", async () => {
  const rows: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
    ["shell", { command: "git status" }, "ran"],
    ["shell", { command: "git status && rm -rf x" }, "risk-profile:command:list"],
    ["shell", { command: "cat notes.md | wc" }, "ran"],
    ["shell", { command: "cat notes.md > copy.md" }, "risk-profile:command:form"],
    ["shell", { command: "cat vault/key" }, "risk-profile:forbiddenPaths"],
    ["shell", { command: "cat v*/key" }, "risk-profile:forbiddenPaths"],
    ["shell", { command: "cat ~/.ssh/id" }, "risk-profile:forbiddenPaths"],
    ["run_process", { command: "git", args: ["log"] }, "ran"],
    ["run_process", { command: "rm", args: ["-rf", "x"] }, "risk-profile:command:list"],
    ["run_process", { command: "cat", args: ["vault/key"] }, "risk-profile:forbiddenPaths"],
    ["shell", {}, "risk-profile:ungraded"],
  ];
  const profile = { forbiddenPaths: ["vault", "~/.ssh"] };
  await withProfile(profile, { allowProcess: true }, async ({ call }) => {
    for (const [tool, input, expected] of rows) {
      assert.equal(outcomeOf(await call(tool, input)), expected, JSON.stringify(input));
    }
  });
});

Deno.test("Gate.call() asks about a program that PATH finds where tools can write", async () => {
  await withTempDir(async (outside) => {
    await withProfile({}, { answers: ["deny"] }, async ({ call, asked }) => {
      await call(...STATUS);
      assert.equal(asked.length, 1, "the flags ask once");
      assert.equal(asked[0]?.reason, '"shell" means running programs');
    });
    await Deno.mkdir(`${outside}/bin`);
    await Deno.chmod(`${outside}/bin`, 0o777);
    await writeTree(outside, { "bin/git": "#!/bin/sh\n" });
    await Deno.chmod(`${outside}/bin/git`, 0o755);
    const env = { PATH: `${outside}/bin:${Deno.env.get("PATH") ?? ""}` };
    await withProfile({}, { answers: ["deny"], allowProcess: true, env }, async (it) => {
      assert.equal(outcomeOf(await it.call(...STATUS)), "risk-profile:doubt");
      assert.match(it.asked[0]?.reason ?? "", /may be another program than its name says/);
    });
  });
});

Deno.test("Gate.call() keeps to the paths of a profile", async () => {
  const profile = {
    level: "full",
    forbiddenPaths: ["vault"],
    allowedRoots: [{ path: "../library", access: "read-only" }],
  };
  const rows: readonly (readonly [string, string, string])[] = [
    ["read_file", "notes.md", "ran"],
    ["read_file", "vault/key", "risk-profile:forbiddenPaths"],
    ["read_file", "/library/book.md", "ran"],
    ["write_file", "/library/book.md", "risk-profile:allowedRoots"],
    ["write_file", "notes.md", "ran"],
    ["read_file", "/home/.ssh/id", "roots:outside"],
    ["read_file", "../library/book.md", "risk-profile:parentFolder"],
  ];
  await withProfile(profile, { allowWrite: true }, async ({ call, folder }) => {
    for (const [tool, name, expected] of rows) {
      const path = name.startsWith("/") ? folder + name : name;
      assert.equal(outcomeOf(await call(tool, { path })), expected, `${tool} ${name}`);
    }
  });
});

Deno.test("Gate.offered() lists what a profile leaves", async () => {
  const all = { allowWrite: true, allowProcess: true };
  const rows: readonly (readonly [Readonly<Record<string, unknown>>, readonly string[]])[] = [
    [{}, ["look", "throws", "read_file", "change", "write_file", "shell", "run_process"]],
    [{ excludedTools: ["shell"] }, [
      "look",
      "throws",
      "read_file",
      "change",
      "write_file",
      "run_process",
    ]],
    [{ allowedTools: ["read_file"] }, ["read_file"]],
    [{ level: "readonly" }, ["look", "throws", "read_file"]],
  ];
  for (const [profile, names] of rows) {
    await withProfile(profile, all, ({ offered }) => {
      assert.deepEqual(offered().toSorted(), names.toSorted(), JSON.stringify(profile));
      return Promise.resolve();
    });
  }
});

Deno.test("bindProfile() lets nobody approve where the approver cannot be reached", async () => {
  const route = { approverChannel: "matrix.ops" };
  const profile = { approvalRoute: { ...route, onNoApprover: "deny" } };
  // Row R17: a run without a person has only its flags, which are no approver.
  await withProfile(profile, { allowWrite: true }, async ({ call }) => {
    assert.equal(outcomeOf(await call(...WRITE)), "risk-profile:medium");
  });
  await withProfile({}, { allowWrite: true }, async ({ call }) => {
    assert.equal(outcomeOf(await call(...WRITE)), "ran");
  });
});

Deno.test("Gate.call() asks both profiles about a command where a project selected one", async () => {
  const usual = { allowedCommands: ["*"] };
  const selected = { allowedCommands: ["git", "ls", "rsync"] };
  const answers = ["once"] as const;
  await withProfile(usual, { answers, selectedByProject: selected }, async ({ call }) => {
    for (
      const [command, expected] of [
        ["git status", "ran"],
        // Listed by name it would be asked about; under a list of `*` it is blocked.
        ["rsync -a --delete a b", "risk-profile:command:risk:high"],
        ["git bisect run ls", "risk-profile:command:risk:high"],
        ["cat notes.md", "risk-profile:command:list"],
      ] as const
    ) {
      assert.equal(outcomeOf(await call("shell", { command })), expected, command);
    }
  });
  await withProfile(selected, { answers }, async ({ call }) => {
    const command = "rsync -a --delete a b";
    assert.equal(outcomeOf(await call("shell", { command })), "ran");
  });
});

Deno.test("Gate.call() takes no flag and no approval in advance for a program that the list may not hold (field case 103)", async () => {
  const beyond = ["./ls", "PATH=. ls", "git rebase --exec ls"];
  const forms = [
    [{ allowedCommands: ["ls", "git"] }, "risk-profile:doubt"],
    [{ allowedCommands: ["ls", "git"], autoApprove: ["shell"] }, "risk-profile:doubt"],
    [{ allowedCommands: ["ls", "git"], level: "full" }, "risk-profile:command:form"],
    [{ allowedCommands: ["*"], blockHighRiskCommands: false }, "ran"],
  ] as const;
  for (const [profile, expected] of forms) {
    await withProfile(profile, { allowProcess: true }, async ({ call }) => {
      assert.equal(outcomeOf(await call("shell", { command: "git commit -m x" })), "ran");
      for (const command of beyond) {
        assert.equal(outcomeOf(await call("shell", { command })), expected, command);
      }
    });
  }
  const open = { allowedCommands: ["*", "git"] };
  await withProfile(open, { allowProcess: true }, async ({ call }) => {
    assert.equal(outcomeOf(await call("shell", { command: "./ls" })), "ran");
    const command = "git rebase --exec ls";
    assert.equal(outcomeOf(await call("shell", { command })), "risk-profile:doubt");
  });
  const listed = { allowedCommands: ["./ls"] };
  await withProfile(listed, { allowProcess: true }, async ({ call }) => {
    assert.equal(outcomeOf(await call("shell", { command: "./ls" })), "ran");
  });
});

Deno.test("Gate.call() looks at the paths that Git finds in revisions", async () => {
  const profile = { allowedCommands: ["git", "cd"], forbiddenPaths: ["vault"] };
  await withProfile(profile, { answers: ["once"] }, async ({ call }) => {
    const closed = [
      "git show HEAD:vault/key",
      "git show :vault/key",
      "git show :0:vault/key",
      "git show 'HEAD~1:./vault/key'",
      "git show :/vault/key",
      "git cat-file -p HEAD:vault",
      "git log -- ':(top)vault/key'",
      "git checkout HEAD -- ':vault/key'",
      "cd vault && git show HEAD:./key",
    ];
    for (const command of closed) {
      const rule = outcomeOf(await call("shell", { command }));
      assert.equal(rule, "risk-profile:forbiddenPaths", command);
    }
    const open = [
      "git show HEAD:notes.md",
      "git log --since=10:30",
      "git commit -m 'fix: mend the vault'",
      "git push origin HEAD:refs/heads/main",
      "git clone git@host:ada/vault.git",
    ];
    for (const command of open) {
      assert.equal(outcomeOf(await call("shell", { command })), "ran", command);
    }
  });
});
