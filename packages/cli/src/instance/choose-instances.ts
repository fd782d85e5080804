/** The instances that a command acts on: those that are named, or all in the namespace. */
import type { Stored } from "@berg/apimachinery";
import { type ChallengeInstance, ChallengeInstances } from "@berg/resources";
import { Failure } from "./failure.ts";
import type { Session } from "./session.ts";

export interface ChoiceOptions {
  all?: boolean;
  yes?: boolean;
}

/** `verb`: what is about to happen to them, such as `stop`. All of a namespace need `--yes`. */
export async function chooseInstances(
  session: Session,
  names: readonly string[],
  { all = false, yes = false }: ChoiceOptions,
  verb: string,
): Promise<Stored<ChallengeInstance>[]> {
  if (all === names.length > 0) throw new Failure(`name the instances to ${verb}, or say --all`, 2);
  // All are read before the first is changed: one misspelt name changes none.
  if (!all) return Promise.all([...new Set(names)].map((name) => session.instance(name)));
  const { client, namespace, around } = session;
  const { items } = await client.listAll(ChallengeInstances, { namespace, signal: around.signal });
  if (items.length === 0) around.stderr.write(`There are no instances in the namespace ${namespace}.\n`);
  if (yes || items.length === 0) return items;
  const count = items.length === 1 ? "1 instance" : `${items.length} instances`;
  const list = items.map(({ metadata }) => `\n  ${metadata.name}`).join("");
  throw new Failure(`this would ${verb} ${count} in the namespace ${namespace}:${list}\nTo confirm, add --yes`, 2);
}
