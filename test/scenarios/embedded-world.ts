/** The same world on the embedded control plane: nothing but this process is needed. */
import { startLocalControlPlane } from "@berg/local-control-plane";
import { startWorld, type World, type WorldOptions } from "./world.ts";

export function startEmbeddedWorld(options: WorldOptions = {}): Promise<World> {
  return startWorld({
    ...options,
    foreignCrds: { ...options.foreignCrds, standIns: true },
    controlPlane: options.controlPlane ?? startEmbedded,
  });
}

async function startEmbedded() {
  const controlPlane = await startLocalControlPlane({ dataDir: ":memory:", scheduler: false });
  return { connection: controlPlane.apiServer.connection, stop: () => controlPlane.stop() };
}
