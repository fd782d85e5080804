/**
 * The garden: Gardener's API server, seen from one project. It may be away while our own is there; whoever asks about
 * something in a copy that is not filled yet says so (`copyTrouble`), and takes nothing for missing.
 */
import type { ObjectKey } from "@berg/apimachinery";
import { type Client, ConnectionError, type Informer, type Manager, type Rate, type Watch } from "@berg/kube";
import {
  type CloudProfile,
  CloudProfiles,
  type CredentialsBinding,
  CredentialsBindings,
  type SecretBinding,
  SecretBindings,
  type Shoot,
  Shoots,
} from "./kinds.ts";
import { type GardenTrouble, gardenTrouble } from "./trouble.ts";

export type PoolKind = "CredentialsBinding" | "SecretBinding";

/** One account of the pool. */
export type Binding = CredentialsBinding | SecretBinding;

export interface Garden {
  /** Reads freely; writes only while this process leads. */
  client: Client;
  /** `garden-<project>` */
  namespace: string;
  shoots: Informer<Shoot>;
  bindings: Informer<Binding>;
  poolKind: PoolKind;
  cloudProfiles: Informer<CloudProfile>;
}

/** What a Gardener that serves many projects can be asked for by one of them. */
export const gardenRate: Rate = { perSecond: 5, burst: 10 };

/**
 * To be called before the manager runs: it starts and stops the copies. The client is one of the garden's own, made with
 * `gardenRate`, and stays the caller's to close.
 */
export function openGarden(
  manager: Manager,
  { client, namespace, poolKind }: { client: Client; namespace: string; poolKind: PoolKind },
): Garden {
  const garden = manager.otherServer(client);
  return {
    client: garden.client,
    namespace,
    shoots: garden.informer(Shoots, { namespace }),
    bindings: garden.informer<Binding>(poolKind === "SecretBinding" ? SecretBindings : CredentialsBindings, {
      namespace,
    }),
    poolKind,
    cloudProfiles: garden.informer(CloudProfiles),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: an informer's type stands in both directions, so no single type covers all.
type Copy = Informer<any>;

/** Why these copies cannot be looked into; undefined where all of them are filled. */
export function copyTrouble(...copies: Copy[]): GardenTrouble | undefined {
  const copy = copies.find(({ hasSynced }) => !hasSynced);
  if (!copy) return undefined;
  const { failure } = copy;
  try {
    return gardenTrouble(failure);
  } catch {
    // A frame that cannot be read, a list that takes its time.
    return gardenTrouble(new ConnectionError("no list yet", { sent: true, cause: failure }));
  }
}

/**
 * Looks at everything once these copies are filled for the first time, so that nothing goes on saying that Gardener is
 * away.
 *
 *     watches: [watchSelf(clusters), watchFilled([garden.shoots], () => clusters.list().map(keyOf))]
 */
export function watchFilled(copies: Copy[], keys: () => Iterable<ObjectKey>): Watch {
  return {
    informers: [],
    start(enqueue) {
      const end = new AbortController();
      Promise.all(copies.map((copy) => copy.synced(end.signal))).then(
        () => {
          for (const key of keys()) enqueue(key);
        },
        () => {},
      );
      return () => end.abort();
    },
    all: () => [],
  };
}
