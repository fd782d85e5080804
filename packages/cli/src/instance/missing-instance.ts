/** What is said of an instance that is not there: which ones somebody may have meant. */
import { isForbidden, type Stored } from "@berg/apimachinery";
import { type ChallengeInstance, ChallengeInstances } from "@berg/resources";
import { nearNames } from "./near-names.ts";
import type { Session } from "./session.ts";

const mostNames = 10;

export async function missingText(session: Session, name: string): Promise<string> {
  const { client, namespace, around } = session;
  const { items } = await client.listAll(ChallengeInstances, { signal: around.signal }).catch((error) => {
    if (!isForbidden(error)) throw error;
    return { items: [] };
  });
  const missing = `there is no instance ${name} in the namespace ${namespace}.`;
  return `${missing} ${hint(name, namespace, items) ?? `See what is there: ${session.command("list -A")}`}`;
}

/** A Challenge's name is often meant for one of its instances. One alone is not taken for meant: it could be stopped. */
export function hint(name: string, namespace: string, all: readonly Stored<ChallengeInstance>[]): string | undefined {
  const elsewhere = all.find(({ metadata }) => metadata.name === name && metadata.namespace !== namespace);
  if (elsewhere) return `There is one in ${elsewhere.metadata.namespace}: add -n ${elsewhere.metadata.namespace}`;
  const here = all.filter(({ metadata }) => metadata.namespace === namespace);
  const ofChallenge = namesOf(here.filter(({ spec }) => spec.challengeRef.name === name));
  if (ofChallenge.length > 0) {
    const more = ofChallenge.length > mostNames ? `, and ${ofChallenge.length - mostNames} more` : "";
    const names = `${ofChallenge.slice(0, mostNames).join(", ")}${more}`;
    return `It is the name of a Challenge, with ${ofChallenge.length === 1 ? "the instance" : "the instances"} ${names}`;
  }
  const near = nearNames(name, namesOf(here));
  return near.length > 0 ? `Did you mean ${near.join(", ")}?` : undefined;
}

function namesOf(instances: readonly Stored<ChallengeInstance>[]): string[] {
  return instances.map(({ metadata }) => metadata.name).toSorted();
}
