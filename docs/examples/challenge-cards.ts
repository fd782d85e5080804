/** Keeps, beside each Challenge, a ConfigMap `<challenge>-card` with what players read about it. */
import { isAlreadyExists, type Stored } from "@berg/apimachinery";
import { ConfigMaps, type Manager, TerminalError, watchOwned, watchSelf } from "@berg/kube";
import { type Challenge, Challenges } from "@berg/resources";

const uidLabel = "example.berg.norelect.ch/challenge-uid";
const fieldManager = "example-cards";

/** The decision: pure, so that it can be tested without a cluster. */
export function cardOf({ metadata, spec }: Stored<Challenge>) {
  const { name, namespace = "", uid } = metadata;
  return {
    metadata: { name: `${name}-card`, namespace, labels: { [uidLabel]: uid } },
    data: { title: spec.displayName ?? name, categories: (spec.categories ?? []).join(", ") },
  };
}

export function addCardController(manager: Manager): void {
  const challenges = manager.informer(Challenges);
  const cards = manager.informer(ConfigMaps, { selection: { labelSelector: uidLabel } });
  manager.addController({
    name: "challenge-cards",
    watches: [watchSelf(challenges), watchOwned(cards, challenges, uidLabel)],
    async reconcile(key, { signal }) {
      // Guards: is there anything to do? Both look-ups are in memory.
      const challenge = challenges.get(key);
      if (!challenge) return;
      const card = cardOf(challenge);
      const found = cards.get(`${key}-card`);
      if (found && Object.entries(card.data).every(([field, text]) => found.data?.[field] === text)) return;
      // One effect. A card that is there is ours, by its label; what carries its name without it is somebody else's.
      if (found) {
        const metadata = { ...card.metadata, uid: found.metadata.uid };
        await manager.client.apply(ConfigMaps, { ...card, metadata }, { fieldManager, force: true, signal });
      } else {
        const { apiVersion, kind, metadata } = challenge;
        const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }];
        const owned = { ...card, metadata: { ...card.metadata, ownerReferences } };
        await manager.client.create(ConfigMaps, owned, { fieldManager, signal }).catch((cause) => {
          throw isAlreadyExists(cause) ? new TerminalError(`${card.metadata.name} is not ours`, { cause }) : cause;
        });
      }
      manager.recorder.event(challenge, "Normal", "CardWritten", `${card.metadata.name} is up to date`);
    },
  });
}
