/**
 * A cluster with simulated nodes, once with controllers of ours and once with Kubernetes' own, for tests that ask both
 * the same. The controllers under test are given; those that pods need beside them are here.
 */
import {
  type Client,
  type Connection,
  createClient,
  type Manager,
  Namespaces,
  ServiceAccounts,
  unlimited,
} from "@berg/kube";
import { type Simulator, type SimulatorOptions, startSimulator } from "@berg/local-node";
import { addServiceAccountController } from "../service-accounts/service-accounts.ts";
import { eventually } from "./eventually.ts";
import { runControllers } from "./run-controllers.ts";

export interface World extends AsyncDisposable {
  client: Client;
  simulator: Simulator;
  /** Of its own for each test, ready for pods. */
  newNamespace(): Promise<string>;
}

/** Takes the control plane over. Without `add` its own controllers do the work. */
export async function startWorld(
  plane: AsyncDisposable & { connection: Connection },
  add: ((manager: Manager) => void) | undefined,
  simulation: Omit<SimulatorOptions, "connection"> = {},
): Promise<World> {
  await using undo = new AsyncDisposableStack();
  const { connection } = undo.use(plane);
  const client = createClient({ connection, rate: unlimited });
  undo.defer(() => client.close());
  if (add) {
    const withAccounts = (manager: Manager) => {
      addServiceAccountController(manager);
      add(manager);
    };
    undo.use(await runControllers(connection, withAccounts));
  }
  const simulator = undo.use(await startSimulator({ connection, ...simulation }));
  const parts = undo.move();
  let count = 0;
  return {
    client,
    simulator,
    async newNamespace() {
      const { metadata } = await client.create(Namespaces, { metadata: { name: `test-${count++}` } });
      const { name } = metadata;
      await eventually(`${name} has its service account`, () =>
        client.get(ServiceAccounts, name, "default").catch(() => undefined),
      );
      return name;
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
