/** What a server is asked to do, and how fast it did it. Each job leaves its objects behind in a namespace of its own. */
import { inFlight } from "../instances/pace.ts";
import type { Caller } from "./caller.ts";

export const writers = 32;
const readers = 4;

/** A little more than 1 KiB of somebody's settings. */
const settings = { "settings.yaml": "level: info # as everywhere\n".repeat(40) };

export const configMaps = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;

export const newConfigMap = (name: string, data: Record<string, string> = settings) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels: { app: "bench" } },
  data,
});

export async function makeNamespace(caller: Caller, name: string): Promise<void> {
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  await caller.call({ method: "POST", path: "/api/v1/namespaces", body });
}

/** Creates in a second. */
export async function create(caller: Caller, namespace: string, count: number): Promise<number> {
  await makeNamespace(caller, namespace);
  let next = 0;
  return perSecond(count, () =>
    inFlight(count, writers, () =>
      caller.call({ method: "POST", path: configMaps(namespace), body: newConfigMap(`one-${next++}`) }),
    ),
  );
}

/** Merge patches in a second, of what `create` has made; each changes something. */
export async function patch(caller: Caller, namespace: string, count: number): Promise<number> {
  let next = 0;
  const contentType = "application/merge-patch+json";
  return perSecond(count, () =>
    inFlight(count, writers, () => {
      const body = { data: { patched: `${next}` } };
      return caller.call({ method: "PATCH", path: `${configMaps(namespace)}/one-${next++}`, body, contentType });
    }),
  );
}

/** Whole lists in a second, of a namespace with 1,000 objects. */
export async function list(caller: Caller, namespace: string, count: number): Promise<number> {
  await create(caller, namespace, 1000);
  return perSecond(count, () =>
    inFlight(count, readers, () => caller.call({ method: "GET", path: configMaps(namespace) })),
  );
}

export async function perSecond(count: number, work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return (count * 1000) / (performance.now() - started);
}
