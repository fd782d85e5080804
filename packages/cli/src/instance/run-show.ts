/** `berg instance show`: one instance, how it is, and what has happened to it. */
import type { Stored } from "@berg/apimachinery";
import { isForbidden } from "@berg/apimachinery";
import { type CoreEvent, Events } from "@berg/kube";
import type { ChallengeInstance } from "@berg/resources";
import { flagPlaces } from "./flag-places.ts";
import { paintFor } from "./paint.ts";
import { type DetailedView, detailsOf, renderShow } from "./render-show.ts";
import { type ClusterOptions, inSession, type Session } from "./session.ts";
import type { ExitCode, Surroundings } from "./surroundings.ts";

export interface ShowOptions extends ClusterOptions {
  json?: boolean;
}

export function runShow(name: string, options: ShowOptions, around: Surroundings): Promise<ExitCode> {
  const { stdout, clock, env } = around;
  return inSession(options, around, async (session) => {
    const instance = await session.instance(name);
    const events = await eventsOf(session, instance);
    const challenge = await session.challengeOf(instance);
    const details = { ...detailsOf(instance, events), flagPlaces: challenge ? flagPlaces(challenge) : [] };
    const view: DetailedView = { ...(await session.view(instance)), ...details };
    if (options.json) stdout.write(`${JSON.stringify(view, undefined, 2)}\n`);
    else stdout.write(renderShow(view, clock.now(), paintFor(stdout, env)));
    return 0;
  });
}

/** Of this life of the name. Whoever may not read events sees the rest. */
async function eventsOf(session: Session, { metadata }: Stored<ChallengeInstance>): Promise<Stored<CoreEvent>[]> {
  const { client, around } = session;
  const fieldSelector = `involvedObject.uid=${metadata.uid}`;
  const found = client.listAll(Events, { namespace: metadata.namespace, fieldSelector, signal: around.signal });
  return found.then(
    ({ items }) => items,
    (error) => {
      if (!isForbidden(error)) throw error;
      around.stderr.write("Its events are not for you to read.\n");
      return [];
    },
  );
}
