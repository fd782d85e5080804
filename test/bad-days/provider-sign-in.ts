/** Sign-ins at the identity provider, on each replica. */
import type { Replica } from "../api/cluster.ts";
import { send } from "../api/site.ts";
import { eventually } from "../runtime/eventually.ts";
import type { Stage } from "./days.ts";
import { serving } from "./load.ts";

export const providerName = "school";

const path = `/api/sign-in/${providerName}`;

/** Within seconds: what is known of a provider is read again at most that often. */
export async function signInWorks(stage: Stage): Promise<void> {
  for (const replica of serving(stage.cluster)) {
    await eventually("a sign-in at the provider works", () => signIn(stage, replica), 30_000, 500);
  }
}

/** The browser is sent to a page of ours that explains it. */
export async function signInFails(stage: Stage): Promise<void> {
  for (const replica of serving(stage.cluster)) {
    const { status, location } = await begin(stage, replica);
    if (status === 302 && location.startsWith(`${stage.cluster.publicUrl}/sign-in?`)) continue;
    // What is known of the provider may be in memory: then the browser goes there, and sees that it is away.
    if (status === 302 && location.startsWith(stage.provider.issuer)) continue;
    throw new Error(`a sign-in without its provider was answered with ${status} ${location}`);
  }
}

async function signIn(stage: Stage, replica: Replica): Promise<boolean> {
  const { location, cookie } = await begin(stage, replica);
  if (!location.startsWith(stage.provider.issuer)) return false;
  const callback = new URL(await stage.provider.signIn(location, "ada"));
  const answer = await get(stage, replica, callback.pathname + callback.search, cookie);
  return String(answer.headers.location) === `${stage.cluster.publicUrl}/challenges`;
}

async function begin(stage: Stage, replica: Replica) {
  const { status, headers } = await get(stage, replica, path);
  const cookie = [headers["set-cookie"]].flat().join("").split(";")[0] ?? "";
  return { status, location: String(headers.location), cookie };
}

function get({ cluster: { publicUrl } }: Stage, { port }: Replica, url: string, cookie?: string) {
  return send({ publicUrl, port }, url, { headers: { cookie } });
}
