/** What only some kinds can be asked: scale, binding, eviction, finalize, a debugging container. */
import fc from "fast-check";
import type { Kind } from "../kinds/index.ts";
import { type Step, types } from "../step.ts";
import { key, pathOf } from "./places.ts";

export function scale(kind: Kind, name: string): fc.Arbitrary<Step> {
  const path = `${pathOf(kind, name)}/scale`;
  const replicas = fc.constantFrom<unknown>(0, 1, 2, 9, -1, "1", null);
  const version = fc.constantFrom(undefined, undefined, `{rv ${key(kind, name)}}`, `{oldrv ${key(kind, name)}}`);
  const put = fc.tuple(replicas, version).map(
    ([count, resourceVersion]): Step => ({
      method: "PUT",
      path,
      body: {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name, namespace: "{ns}", resourceVersion },
        spec: { replicas: count },
      },
    }),
  );
  const type = fc.constantFrom(types.merge, types.strategic);
  const patch = fc
    .tuple(replicas, type)
    .map(([count, sort]): Step => ({ method: "PATCH", path, type: sort, body: { spec: { replicas: count } } }));
  const applied = fc.tuple(replicas, fc.constantFrom("x", "y"), fc.constantFrom("true", "false")).map(
    ([count, manager, force]): Step => ({
      method: "PATCH",
      path: `${path}?fieldManager=${manager}&force=${force}`,
      type: types.apply,
      body: { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name }, spec: { replicas: count } },
    }),
  );
  return fc.oneof(put, patch, applied, fc.constant<Step>({ method: "GET", path }));
}

export function special(kind: Kind, name: string): fc.Arbitrary<Step> | undefined {
  const path = pathOf(kind, name);
  if (kind.resource === "pods") {
    const binding = { metadata: { name, annotations: { bound: "yes" } }, target: { kind: "Node", name: "n" } };
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } };
    const debug = { spec: { ephemeralContainers: [{ name: "debug", image: "b" }] } };
    return fc.constantFrom<Step>(
      { method: "POST", path: `${path}/binding`, body: binding },
      { method: "POST", path: `${path}/eviction`, body: eviction },
      { method: "POST", path: `${path}/eviction`, body: { ...eviction, deleteOptions: { gracePeriodSeconds: 0 } } },
      { method: "PATCH", path: `${path}/ephemeralcontainers`, type: types.strategic, body: debug },
      {
        method: "PATCH",
        path: `${path}/resize`,
        type: types.strategic,
        body: { spec: { containers: [{ name: "a", resources: { requests: { cpu: "1" } } }] } },
      },
    );
  }
  if (kind.resource === "namespaces") {
    const finalizers = fc.constantFrom<string[]>([], ["kubernetes"], ["x.io/c"]);
    return finalizers.map(
      (names): Step => ({
        method: "PUT",
        path: `${path}/finalize`,
        from: key(kind, name),
        body: { spec: { finalizers: names } },
      }),
    );
  }
  return undefined;
}
