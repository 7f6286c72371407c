import type { ModelProvider, ProviderCreateRequest, ProviderRegistration } from "@alisio/sdk";
import { ProfileSession, type ProfileSessionPorts } from "./profile_session.ts";
import { signedInProvider } from "./signed_in_provider.ts";

/**
 * Builds a connection of a provider that knows accounts: it is given the session of its profile.
 *
 * @param registration The kind of provider.
 * @param request What it is built from.
 * @param ports What the session is read from, and renewed with.
 * @throws {TypeError} If the profile is not usable.
 */
export async function createSignedIn(
  registration: ProviderRegistration,
  request: ProviderCreateRequest,
  ports: Omit<ProfileSessionPorts, "provider" | "methods">,
): Promise<ModelProvider> {
  const { configHome, stateHome, profile, plugins = [], hideSecrets, notify, limitMs } = ports;
  const session = new ProfileSession({
    configHome,
    stateHome,
    profile,
    provider: registration.id,
    methods: registration.auth ?? [],
    plugins,
    hideSecrets,
    notify,
    ...(limitMs === undefined ? {} : { limitMs }),
  });
  const oauth = {
    get: () => session.get(),
    invalidate: (reason: "sign_in_required") => session.invalidate(reason),
  };
  return signedInProvider(await registration.create({ ...request, oauth }), session);
}
