/** Gardener's kinds from Gardener's own server. */

import type { Gardener, Site } from "../gardener.ts";
import { aggregatorFlags } from "./aggregation.ts";
import { registerExtensions } from "./extensions.ts";
import { publishCa } from "./published-ca.ts";
import { makeRsaCa } from "./rsa-ca.ts";
import { startGardenerServer } from "./server.ts";

export const realGardener: Gardener = {
  apiServerFlags: aggregatorFlags,
  makeClientCa: makeRsaCa,
  async serve(site: Site) {
    const { client, namespace } = site;
    const server = await startGardenerServer(site);
    await registerExtensions(client);
    return {
      process: server.process,
      // It answers for its subresources itself.
      subresource: async () => undefined,
      publishCa: (shoot, target) => publishCa(client, namespace, shoot, target),
      stop: () => server.stop(),
    };
  },
};
