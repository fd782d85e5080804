import { type KubeObject, keyOf, makeKey, type Stored } from "@berg/apimachinery";
import type { Informer, Watch } from "@berg/kube";
import type { WatchedSecrets } from "./watched-secrets.ts";

const bySecret = "secret";

/**
 * Reconciles whoever needs a Secret when that changes, and when the Secrets of its namespace are known. They are held for
 * as long as somebody there needs one. `nameOf`: of the Secret beside it, if it needs one.
 *
 *     watches: [watchSelf(clusters), watchSecrets(secrets, clusters, ({ spec }) => spec.byoc?.kubeconfigSecretRef.name)]
 */
export function watchSecrets<T extends KubeObject>(
  secrets: WatchedSecrets,
  users: Informer<T>,
  nameOf: (user: Stored<T>) => string | undefined,
): Watch {
  users.ensureIndex(bySecret, (user) => {
    const name = nameOf(user);
    return name === undefined ? [] : [makeKey(user.metadata.namespace, name)];
  });
  return {
    // Nobody waits for them: the right to one namespace may be missing.
    informers: [],
    start(enqueue) {
      /** By the UID of who needs one: its namespace. */
      const held = new Map<string, string>();
      const letGo = (uid: string) => {
        secrets.letGo(held.get(uid) ?? "", uid);
        held.delete(uid);
      };
      const undo = [
        secrets.onChange((secret) => {
          for (const user of users.byIndex(bySecret, secret)) enqueue(keyOf(user));
        }),
        secrets.onFilled((namespace) => {
          for (const user of users.list()) if (held.get(user.metadata.uid) === namespace) enqueue(keyOf(user));
        }),
        users.onChange(({ type, object }) => {
          const { uid, namespace = "" } = object.metadata;
          if (type === "deleted" || nameOf(object) === undefined) return letGo(uid);
          held.set(uid, namespace);
          secrets.hold(namespace, uid);
        }),
      ];
      return () => {
        for (const end of undo) end();
        for (const uid of [...held.keys()]) letGo(uid);
      };
    },
    all: () => [],
  };
}
