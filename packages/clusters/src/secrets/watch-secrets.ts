import { type KubeObject, keyOf, makeKey, type Stored } from "@berg/apimachinery";
import type { Informer, Watch } from "@berg/kube";
import type { WatchedSecrets } from "./watched-secrets.ts";

const bySecret = "secret";

/**
 * Reconciles whoever needs a Secret when that changes, and when it is known whether it is there. It is watched for as long
 * as somebody needs it. `nameOf`: of the Secret beside it, if it needs one.
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
      const undo = [
        secrets.onChange((secret) => {
          for (const user of users.byIndex(bySecret, secret)) enqueue(keyOf(user));
        }),
        secrets.onFilled((holders) => {
          for (const user of users.list()) if (holders.has(user.metadata.uid)) enqueue(keyOf(user));
        }),
        users.onChange(({ type, object }) => {
          const { uid, namespace = "" } = object.metadata;
          const name = type === "deleted" ? undefined : nameOf(object);
          if (name === undefined) secrets.letGo(uid);
          else secrets.hold(namespace, name, uid);
        }),
      ];
      return () => {
        for (const end of undo) end();
        for (const { metadata } of users.list()) secrets.letGo(metadata.uid);
      };
    },
    all: () => [],
  };
}
