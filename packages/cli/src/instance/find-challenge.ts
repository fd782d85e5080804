/** The Challenge that somebody names, or what they may have meant. */
import { isForbidden, isNotFound, type Stored } from "@berg/apimachinery";
import { type Challenge, Challenges, readStoredChallenge } from "@berg/resources";
import { Failure } from "./failure.ts";
import { nearNames } from "./near-names.ts";
import type { Session } from "./session.ts";

const mostNames = 10;

export async function findChallenge(session: Session, name: string): Promise<Stored<Challenge>> {
  const { client, namespace, around } = session;
  try {
    return readStoredChallenge(await client.get(Challenges, namespace, name, { signal: around.signal })).challenge;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const challenges = await readable(session);
    const elsewhere = challenges.find(({ metadata }) => metadata.name === name)?.metadata.namespace;
    const here = challenges.filter(({ metadata }) => metadata.namespace === namespace);
    throw new Failure(
      notFoundText(
        name,
        namespace,
        here.map(({ metadata }) => metadata.name),
        elsewhere,
      ),
    );
  }
}

/** Of all namespaces, or of the one that is meant where others are not for us to read. */
async function readable({ client, namespace, around: { signal } }: Session): Promise<Stored<Challenge>[]> {
  const all = await client.listAll(Challenges, { signal }).catch((error) => {
    if (!isForbidden(error)) throw error;
    return client.listAll(Challenges, { namespace, signal });
  });
  return all.items;
}

export function notFoundText(name: string, namespace: string, here: string[], elsewhere: string | undefined): string {
  const missing = `there is no Challenge ${name} in the namespace ${namespace}.`;
  if (elsewhere !== undefined) return `${missing} There is one in ${elsewhere}: add -n ${elsewhere}`;
  if (here.length === 0) return `${missing} There is none at all: kubectl apply one first`;
  const near = nearNames(name, here);
  if (near.length > 0) return `${missing} Did you mean ${near.join(", ")}?`;
  const more = here.length > mostNames ? `, and ${here.length - mostNames} more` : "";
  return `${missing} There are ${here.toSorted().slice(0, mostNames).join(", ")}${more}`;
}
