/** Both servers in this process: the embedded API server, with our kinds and with stand-ins for Gardener's. */
import { createClient, unlimited } from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { clusterResourceDefinitions } from "@berg/resources";
import { installGardenCrds } from "../../../../../test/gardener/stand-ins/install.ts";
import { CustomResourceDefinitions, untilServed } from "../../../../../test/scenarios/crds.ts";
import type { Servers } from "./world.ts";

export async function startEmbeddedServers(): Promise<Servers & AsyncDisposable> {
  await using undo = new AsyncDisposableStack();
  const { apiServer } = undo.use(await startLocalControlPlane({ dataDir: ":memory:", scheduler: false }));
  const { connection } = apiServer;
  const client = createClient({ connection, rate: unlimited });
  for (const definition of clusterResourceDefinitions()) {
    if (definition.spec.names.kind !== "SubscriptionRequest") continue;
    await client.create(CustomResourceDefinitions, definition);
    await untilServed(client, definition);
  }
  await installGardenCrds(client);
  await client.close();
  const parts = undo.move();
  return { own: connection, garden: connection, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}
