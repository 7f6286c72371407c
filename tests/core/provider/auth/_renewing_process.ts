/**
 * A process that asks for the session of a profile, as a run does. Arguments: configuration home,
 * state home, address of the service.
 *
 * @module
 */
import { ProfileSession } from "../../../../core/provider/auth/profile_session.ts";

const [configHome = "", stateHome = "", service = ""] = Deno.args;
const session = new ProfileSession({
  configHome,
  stateHome,
  profile: "work",
  provider: "acme",
  hideSecrets: () => {},
  notify: () => {},
  methods: [{
    id: "device",
    label: "Account",
    kind: "oauth",
    start: () => Promise.reject(new Error("nobody is here")),
    async refresh({ refresh = "" }, signal) {
      const answer = await fetch(service, { method: "POST", body: refresh, signal });
      if (!answer.ok) throw new Error(await answer.text());
      return await answer.json();
    },
  }],
});
await Deno.stdout.write(new TextEncoder().encode((await session.get()).access));
