/** Gardener's kinds from CRDs of our own, and its subresources from the front. */
import { isNotFound } from "@berg/apimachinery";
import { makeCa } from "@berg/local-certificates";
import { callerOf } from "../caller.ts";
import type { Subresource } from "../front.ts";
import type { Gardener, Site } from "../gardener.ts";
import { Shoots } from "../kinds.ts";
import { answerKubeconfigRequest, isKubeconfigSubresource, refusal } from "../kubeconfig-request.ts";
import type { GardenTarget } from "../target.ts";
import { installAdmission } from "./admission.ts";
import { installGardenCrds } from "./install.ts";

export const standInGardener: Gardener = {
  apiServerFlags: async () => [],
  makeClientCa: async (name, from, until) => makeCa(name, from, until),
  async serve(site: Site) {
    await installGardenCrds(site.client);
    await installAdmission(site.client, site);
    return {
      process: undefined,
      subresource: kubeconfigs(site),
      // The front knows the clusters of the garden.
      publishCa: async () => {},
      stop: async () => {},
    };
  },
};

interface KubeconfigSite extends Pick<Site, "client" | "clock"> {
  controlPlane: Pick<Site["controlPlane"], "connection">;
  targets: readonly Pick<GardenTarget, "server" | "clientCa" | "serverCa">[];
}

/** The subresources that a CRD cannot have. */
export function kubeconfigs({ controlPlane, client, targets, clock }: KubeconfigSite): Subresource {
  return async ({ resource, subresource, namespace, name, verb }, body, authorization) => {
    if (resource !== "shoots" || verb !== "create" || !isKubeconfigSubresource(subresource)) return undefined;
    const access = { verb, resource, subresource, namespace, name };
    const caller = await callerOf(controlPlane.connection, authorization, access);
    if ("refused" in caller) return caller.refused;
    const shoot = await client.get(Shoots, namespace, name).catch((error) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (!shoot) return refusal(404, "NotFound", `shoots.core.gardener.cloud "${name}" not found`);
    const urls = new Set(shoot.status?.advertisedAddresses?.map(({ url }) => url));
    const target = targets.find(({ server }) => urls.has(server));
    const request = JSON.parse(body.toString("utf8")) as { spec?: { expirationSeconds?: number } };
    const { name: by } = caller;
    return answerKubeconfigRequest({ subresource, body: request, caller: by, shoot, target, now: clock.now() });
  };
}
