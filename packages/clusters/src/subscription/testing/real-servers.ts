/** Two real API servers: ours, and a garden's. */
import { createClient, unlimited } from "@berg/kube";
import { clusterResourceDefinitions } from "@berg/resources";
import { startControlPlane } from "@berg/test";
import { startGarden } from "../../../../../test/gardener/garden.ts";
import { CustomResourceDefinitions, untilServed } from "../../../../../test/scenarios/crds.ts";
import type { Servers } from "./world.ts";

export async function startRealServers(): Promise<Servers & AsyncDisposable> {
  await using undo = new AsyncDisposableStack();
  const [own, garden] = await Promise.all([
    startControlPlane({ controllerManager: false, scheduler: false }),
    startGarden(),
  ]);
  undo.use(own);
  undo.use(garden);
  const client = createClient({ connection: own.connection, rate: unlimited });
  for (const definition of clusterResourceDefinitions()) {
    await client.create(CustomResourceDefinitions, definition);
    await untilServed(client, definition);
  }
  await client.close();
  const parts = undo.move();
  return {
    own: own.connection,
    garden: garden.controlPlane.connection,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
