export { type FakeOauth, startFakeOauth } from "./fake-oauth.ts";
export { clientSecret, IdentityProvider } from "./identity-provider.ts";
