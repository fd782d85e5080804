/** A control plane on which deploy/clusters is installed, for an administrator and for the operators' own account. */
import { join } from "node:path";
import { type Client, type Connection, createClient, Namespaces, Secrets, unlimited } from "@berg/kube";
import { startControlPlane } from "@berg/test";
import { expect, vi } from "vitest";
import { tokenOf } from "./installed.ts";

/** The namespace and the account of the operators. */
export const home = "berg-clusters";

export interface InstalledClusters extends AsyncDisposable {
  admin: Client;
  operators: Client;
  kubectl(...args: string[]): Promise<string>;
  /** Once more. */
  apply(): Promise<unknown>;
  /** As a service account. */
  clientOf(account: string, namespace: string): Promise<Client>;
}

export function fileOf(name: string): string {
  return join(import.meta.dirname, "..", "clusters", name);
}

/** As the README says, and a namespace `elsewhere` besides. The policies are in force when it returns. */
export async function installedClusters(options: { controllerManager?: boolean } = {}): Promise<InstalledClusters> {
  await using undo = new AsyncDisposableStack();
  const { controllerManager = false } = options;
  const controlPlane = undo.use(await startControlPlane({ controllerManager, scheduler: false }));
  const clients: Client[] = [];
  undo.defer(async () => void (await Promise.all(clients.map((client) => client.close()))));
  const clientWith = (connection: Connection) => {
    const client = createClient({ connection, rate: unlimited });
    clients.push(client);
    return client;
  };
  const admin = clientWith(controlPlane.connection);
  const clientOf = async (account: string, namespace: string) =>
    clientWith(controlPlane.connectWith(await tokenOf(admin, account, namespace)));
  const kubectl = (...args: string[]) => controlPlane.kubectl(args);
  const apply = () => kubectl("apply", "--server-side", "--validate=strict", "--kustomize", fileOf("."));
  await apply();
  await kubectl("wait", "--for=condition=Established", "crd", "--all");
  await admin.create(Namespaces, { metadata: { name: "elsewhere" } });
  const operators = await clientOf(home, home);
  const stray = { metadata: { namespace: "clusters", name: "stray" } };
  const inForce = () => expect(operators.create(Secrets, stray, { dryRun: true })).rejects.toThrow("is none");
  await vi.waitFor(inForce, { timeout: 30_000, interval: 100 });
  const parts = undo.move();
  return { admin, operators, kubectl, apply, clientOf, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}
