/** What a suite runs on: the embedded control plane, or a real one (real-plane.ts). */
import { type Client, type Connection, createClient, unlimited } from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { customResourceDefinitions } from "@berg/resources";
import { CustomResourceDefinitions, untilServed } from "../../../../../test/scenarios/crds.ts";

export type StartPlane = () => Promise<{ readonly connection: Connection; stop(): Promise<void> }>;

export const embedded: StartPlane = async () => {
  const plane = await startLocalControlPlane({ dataDir: ":memory:", scheduler: false });
  return { connection: plane.apiServer.connection, stop: () => plane.stop() };
};

export interface PlaneWithKinds extends AsyncDisposable {
  readonly connection: Connection;
  readonly client: Client;
}

export async function startWithKinds(start: StartPlane): Promise<PlaneWithKinds> {
  await using undo = new AsyncDisposableStack();
  const plane = undo.adopt(await start(), (one) => one.stop());
  const { connection } = plane;
  const client = undo.adopt(createClient({ connection, component: "test", rate: unlimited }), (one) => one.close());
  const definitions = customResourceDefinitions();
  for (const definition of definitions) await client.create(CustomResourceDefinitions, definition);
  await Promise.all(definitions.map((definition) => untilServed(client, definition)));
  const parts = undo.move();
  return { connection, client, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}
