import { sha256Hex } from "../../../core/files/sha256.ts";
import { judgePath } from "../../../core/paths/judge_path.ts";
import { recordFileChange } from "../../../core/rewind/file_changes.ts";
import type { RestoreRules } from "../../../core/rewind/plan_restore.ts";
import {
  planRewind,
  type RewindOutcome,
  rewindSession,
} from "../../../core/rewind/rewind_session.ts";
import { findPoint } from "../../../core/rewind/session_points.ts";
import { openSessionStore, type SessionStore } from "../../../core/session/session_store.ts";
import { textOf } from "../../../core/session/stored_message.ts";
import { replaceRecorded } from "../../../tools/_replace_recorded.ts";
import { withTempDir } from "../../support/temp.ts";

/** A time before which nothing happened. */
export const AT = 1_767_225_600_000;

/** A session whose calls really change files. */
export class RewindScene {
  readonly store: SessionStore;
  readonly workspace: string;
  readonly id = "s1-of-the-test";
  readonly rules: RestoreRules;
  #time = AT;

  constructor(folder: string, workspace: string) {
    this.store = openSessionStore(`${folder}/state/sessions.sqlite`);
    this.workspace = workspace;
    this.rules = {
      judgePath: (path) => judgePath(path, { workspace, roots: [workspace] }),
      isProtected: (real) => real.endsWith("/protected.txt"),
      isSecret: (real) => real.endsWith("/keys.txt"),
    };
    const base = { workspace, model: "m", provider: "p", createdAt: AT };
    this.store.createSession({ id: this.id, ...base });
  }

  /** A prompt and its answer. */
  say(prompt: string, session: string = this.id): void {
    const content = [{ type: "text", text: prompt }] as const;
    this.store.appendMessage(session, { role: "user", content }, this.#time += 10);
    const answer = { role: "assistant", text: `to ${prompt}`, calls: [] } as const;
    this.store.appendMessage(session, answer, this.#time += 10);
  }

  /** Changes a file as the tools do. */
  async write(
    name: string,
    content: string | Uint8Array<ArrayBuffer>,
    sessionId: string = this.id,
  ): Promise<void> {
    const real = `${this.workspace}/${name}`;
    const before = await Deno.readFile(real).catch(() => null);
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    const expectedHash = before === null ? null : await sha256Hex(before);
    await replaceRecorded({ real, before, bytes, expectedHash }, {
      signal: new AbortController().signal,
      recordChange: (change) =>
        recordFileChange(this.store, { sessionId, callId: "c" }, {
          ...change,
          isSecret: this.rules.isSecret(change.path),
        }),
    });
  }

  /** What would become of the session. */
  plan(point: string): Promise<RewindOutcome> {
    return planRewind(this.store, this.id, this.#point(point), this.rules);
  }

  /** Puts conversation and files back; `undo` takes that back. */
  rewind(point: string): Promise<RewindOutcome> {
    const options = { rules: this.rules, signal: new AbortController().signal };
    return rewindSession(this.store, this.id, this.#point(point), options);
  }

  /** Puts the conversation alone back. */
  rewindAlone(point: string): Promise<RewindOutcome> {
    const options = { signal: new AbortController().signal };
    return rewindSession(this.store, this.id, this.#point(point), options);
  }

  #point(named: string) {
    return named === "undo" ? named : findPoint(this.store, this.id, named);
  }

  /** What a model is sent, as texts. */
  texts(session: string = this.id): readonly string[] {
    return this.store.loadMessages(session).map((message) =>
      message.role === "assistant" ? message.text : textOf(message.content)
    );
  }

  /** Files of the workspace with their content. */
  async files(): Promise<Readonly<Record<string, string>>> {
    const found: Record<string, string> = {};
    for await (const { name, isFile } of Deno.readDir(this.workspace)) {
      if (isFile) found[name] = await Deno.readTextFile(`${this.workspace}/${name}`);
    }
    return found;
  }
}

/** Runs `body` with a session in a new folder. */
export async function withRewind(
  body: (scene: RewindScene, folder: string) => Promise<void>,
): Promise<void> {
  await withTempDir(async (folder) => {
    await Deno.mkdir(`${folder}/ws`);
    const scene = new RewindScene(folder, `${folder}/ws`);
    try {
      await body(scene, folder);
    } finally {
      scene.store.close();
    }
  });
}
