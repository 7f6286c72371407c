/** Puts a session back to before its first prompt, in a process that a test ends at any point. */
import { judgePath } from "../../../core/paths/judge_path.ts";
import { rewindSession } from "../../../core/rewind/rewind_session.ts";
import { findPoint } from "../../../core/rewind/session_points.ts";
import { openSessionStore } from "../../../core/session/session_store.ts";

const [path = "", workspace = "", id = ""] = Deno.args;
const store = openSessionStore(path);
await Deno.stdout.write(new TextEncoder().encode("ready\n"));
await rewindSession(store, id, findPoint(store, id, "1"), {
  rules: {
    judgePath: (each) => judgePath(each, { workspace, roots: [workspace] }),
    isProtected: () => false,
    isSecret: () => false,
  },
  signal: new AbortController().signal,
});
store.close();
