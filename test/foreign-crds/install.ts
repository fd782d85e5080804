/** Brings the kinds of Gateway API and Cilium to a control plane: all, or only some, and others later. */
import { setTimeout as delay } from "node:timers/promises";
import { defineResource, isNotFound } from "@berg/apimachinery";
import type { Client } from "@berg/kube";
import { type Crd, type ForeignCrd, foreignCrds, readForeignCrd } from "./crd-files.ts";
import { standInFor } from "./stand-ins.ts";

const CustomResourceDefinitions = defineResource<Crd>({
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
});

export interface InstallOptions {
  /** All of them unless told otherwise. */
  readonly which?: readonly ForeignCrd[];
  /** Serve TLSRoutes as Gateway API did before 1.5, in this version alone. */
  readonly tlsRouteVersion?: "v1alpha2";
  /** In place of the real ones, which need Go to be had. */
  readonly standIns?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Resolves once every kind can be listed. May be called again: what is there is made as asked for.
 *
 *     await installForeignCrds(client, { which: ["httproutes"] });
 *     await installForeignCrds(client); // the others have come
 */
export async function installForeignCrds(client: Client, options: InstallOptions = {}): Promise<void> {
  const { which = foreignCrds, tlsRouteVersion, standIns = false, signal } = options;
  await Promise.all(
    which.map(async (name) => {
      const crd = standIns ? standInFor(name) : await readForeignCrd(name);
      const wanted = name === "tlsroutes" && tlsRouteVersion ? servedOnlyAs(crd, tlsRouteVersion) : crd;
      await client.apply(CustomResourceDefinitions, wanted, {
        fieldManager: "berg-test",
        force: true,
        ...(signal && { signal }),
      });
      await untilServed(client, wanted, signal);
    }),
  );
}

/** The CRD as it was while this version was its only one. */
export function servedOnlyAs(crd: Crd, version: string): Crd {
  const versions = crd.spec.versions.filter(({ name }) => name === version);
  if (versions.length === 0) throw new Error(`${crd.metadata.name} never had a version ${version}`);
  return {
    ...crd,
    spec: { ...crd.spec, versions: versions.map((found) => ({ ...found, served: true, storage: true })) },
  };
}

/** Established comes a moment before the first request is answered. */
async function untilServed(client: Client, crd: Crd, signal: AbortSignal | undefined): Promise<void> {
  const { name } = crd.metadata;
  const { group, names, scope, versions } = crd.spec;
  const types = versions
    .filter(({ served }) => served)
    .map(({ name: version }) =>
      defineResource({
        group,
        version,
        resource: names.plural,
        kind: names.kind,
        namespaced: scope === "Namespaced",
      }),
    );
  const options = signal && { signal };
  const isServed = async () => {
    const { status } = await client.get(CustomResourceDefinitions, "", name, options);
    if (!status?.conditions?.some(({ type, status }) => type === "Established" && status === "True")) return false;
    try {
      for (const type of types) await client.list(type, { limit: 1, ...options });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  };
  while (!(await isServed())) await delay(50, undefined, options);
}
