/** Tells of every instance and of what becomes of each, until told to stop. */
import { jsonEqual, type Stored } from "@berg/apimachinery";
import { Informer, type Selection } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances } from "@berg/resources";
import type { Session } from "./session.ts";
import { tellingOfTrouble } from "./trouble.ts";
import type { InstanceView } from "./view.ts";

export type ChangeType = "added" | "updated" | "deleted";

/** What changes nothing of what is shown is not told. Rejects with what ended it. */
export async function watchInstances(
  session: Session,
  selection: Selection,
  tell: (change: ChangeType, view: InstanceView) => void,
): Promise<void> {
  const { clock, signal, stderr } = session.around;
  const told = new Map<string, InstanceView>();
  const next = async (type: ChangeType, instance: Stored<ChallengeInstance>) => {
    const view = await session.view(instance);
    if (signal.aborted || (type === "updated" && jsonEqual(told.get(view.uid), view))) return;
    if (type === "deleted") told.delete(view.uid);
    else told.set(view.uid, view);
    tell(type, view);
  };
  const informer = new Informer({
    client: session.client,
    type: ChallengeInstances,
    selection,
    clock,
    log: tellingOfTrouble((text) => stderr.write(`${text}\n`)),
  });
  // One after the other: looking up what an address is for takes a moment.
  let queue = Promise.resolve();
  informer.onChange(({ type, object }) => {
    queue = queue.then(() => next(type, object));
  });
  await informer.run(signal);
  await queue;
  signal.throwIfAborted();
}
