import { textResult } from "@alisio/sdk";
import assert from "node:assert/strict";
import { type ConfigLayer, mergeConfig } from "../../core/config/merge_config.ts";
import type { ApprovalAnswer, ApprovalQuestion } from "../../core/gate/approval.ts";
import type { CallOutcome, CallRecord } from "../../core/gate/gate.ts";
import { bindProfile } from "../../core/gate/profile/bind_profile.ts";
import type { HostTool } from "../../core/tools/host_tool.ts";
import { type CalledTools, createTestGate } from "./run_harness.ts";
import { withTempDir, writeTree } from "./temp.ts";

/** A gate under a profile, and what was noticed of its calls. */
export interface ProfileScene {
  /** The folder that holds the workspace `ws`. */
  readonly folder: string;
  /** What ran: the tool and its first argument. */
  readonly ran: string[];
  /** What was asked: the tool and the rule's reason. */
  readonly asked: ApprovalQuestion[];
  readonly records: CallRecord[];
  call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    options?: { readonly fails?: boolean },
  ): Promise<CallOutcome>;
  /** Names of the tools that a model is offered. */
  offered(): readonly string[];
}

/** Who is there, and what flags permit. */
export interface SceneOptions {
  /** Answers in order, the last one for ever; absent when nobody is there. */
  readonly answers?: readonly ApprovalAnswer[];
  readonly allowWrite?: boolean;
  readonly allowProcess?: boolean;
  /** Another profile of the person's, which a project selects in place of theirs. */
  readonly selectedByProject?: Readonly<Record<string, unknown>>;
  /** Variables beside `HOME` and `PATH`. */
  readonly env?: Readonly<Record<string, string>>;
}

const FILES = {
  "ws/notes.md": "notes\n",
  "ws/vault/key": "secret\n",
  "library/book.md": "book\n",
  "home/.ssh/id": "key\n",
};

const NEVER = new Promise<never>(() => {});

/**
 * Runs `body` with a gate under a profile, in a temporary folder. Its tools only note that they ran.
 *
 * @param profile The profile, as a configuration file has it.
 * @param options Who is there, and what flags permit.
 * @param body The test.
 */
export async function withProfile(
  profile: Readonly<Record<string, unknown>>,
  options: SceneOptions,
  body: (scene: ProfileScene) => Promise<void>,
): Promise<void> {
  await withTempDir(async (folder) => {
    await writeTree(folder, FILES);
    const workspace = `${folder}/ws`;
    const { answers, allowWrite = false, allowProcess = false } = options;
    const { selectedByProject } = options;
    const layers: ConfigLayer[] = [{
      source: { layer: "global", file: `${folder}/config.json` },
      values: { riskProfiles: { p: profile, q: selectedByProject ?? {} } },
    }];
    if (selectedByProject !== undefined) {
      layers.push({
        source: { layer: "project", file: `${workspace}/.alisio/config.json` },
        values: { agents: { build: { riskProfile: "q" } } },
      });
    }
    const { bound, notices } = await bindProfile({
      loaded: { layers, configuration: mergeConfig(layers).configuration },
      flag: "p",
      cwd: workspace,
      workspace,
      env: { HOME: `${folder}/home`, PATH: Deno.env.get("PATH") ?? "", ...options.env },
      approvers: {
        // Here it only counts whether somebody is there.
        originators: answers === undefined ? [] : [{ key: "host", ask: () => NEVER }],
        channels: [],
      },
      permitted: [
        ...(allowWrite ? ["write"] as const : []),
        ...(allowProcess ? ["process"] as const : []),
      ],
    });
    assert.ok(bound !== null);
    assert.deepEqual(notices.filter((notice) => notice.startsWith("Ignored")), []);
    const called: CalledTools = [];
    const asked: ApprovalQuestion[] = [];
    const records: CallRecord[] = [];
    const gate = createTestGate(workspace, called, {
      bound,
      allowWrite,
      allowProcess,
      tools: TOOLS.map((make) => make(called)),
      ...(answers === undefined ? {} : {
        approver: (question: ApprovalQuestion) => {
          const answer = answers[asked.length] ?? answers.at(-1) ?? "deny";
          asked.push(question);
          return Promise.resolve(answer);
        },
      }),
    });
    let count = 0;
    const ran: string[] = [];
    await body({
      folder,
      ran,
      asked,
      records,
      offered: () => gate.offered("s1").map(({ name }) => name),
      async call(name, input, { fails = false } = {}) {
        const before = called.length;
        const outcome = await gate.call(
          { id: `call-${++count}`, name, arguments: JSON.stringify(input) },
          {
            sessionId: "s1",
            signal: new AbortController().signal,
            emit: () => {},
            recordStart: (record) => {
              if (fails) throw new Error("the disk is full");
              records.push(record);
            },
            recordDecision: () => {},
            pauseWhile: (wait) => wait(),
          },
        );
        if (called.length > before) ran.push(`${name} ${Object.values(input)[0]}`);
        return outcome;
      },
    });
  });
}

const TOOLS: readonly ((called: CalledTools) => HostTool)[] = [
  recorder("read_file", "read"),
  recorder("write_file", "write"),
  recorder("shell", "process"),
  recorder("run_process", "process"),
];

function recorder(name: string, effect: HostTool["effect"]): (called: CalledTools) => HostTool {
  return (called) => ({
    name,
    description: name,
    effect,
    inputSchema: { type: "object" },
    paths: ({ path }) => typeof path === "string" ? [path] : [],
    execute(input) {
      called.push([name, input]);
      return Promise.resolve(textResult("done"));
    },
  });
}

/** What became of a call: the rule that refused it, or that it ran. */
export function outcomeOf({ refused, isError }: CallOutcome): string {
  return refused?.matched ?? (isError ? "error" : "ran");
}
