/** A control plane on which deploy/ is installed, for an administrator and for the controller's own account. */
import { join } from "node:path";
import { type Client, createClient, Namespaces, ServiceAccounts, unlimited } from "@berg/kube";
import { labels, managedByBerg } from "@berg/resources";
import { type ControlPlane, startControlPlane } from "@berg/test";
import { expect, vi } from "vitest";

const here = (file: string) => join(import.meta.dirname, "..", file);

export interface Installed extends AsyncDisposable {
  controlPlane: ControlPlane;
  admin: Client;
  controller: Client;
}

/** As the README says; the policies are in force when it returns. There are no other controllers. */
export async function installed(): Promise<Installed> {
  const controlPlane = await startControlPlane({ controllerManager: false, scheduler: false });
  await applyAll(controlPlane);
  const admin = createClient({ connection: controlPlane.connection, rate: unlimited });
  const token = await tokenOfController(admin);
  const controller = createClient({ connection: controlPlane.connectWith(token), rate: unlimited });
  await policiesInForce(controller);
  return {
    controlPlane,
    admin,
    controller,
    async [Symbol.asyncDispose]() {
      await controller.close();
      await admin.close();
      await controlPlane.stop();
    },
  };
}

export async function applyAll(controlPlane: ControlPlane): Promise<void> {
  await controlPlane.kubectl(["apply", "--server-side", "-f", here("../crds")]);
  await controlPlane.kubectl(["apply", "--validate=strict", "-k", here(".")]);
  await controlPlane.kubectl(["wait", "--for=condition=Established", "crd", "--all"]);
}

export function tokenOfController(admin: Client): Promise<string> {
  return tokenOf(admin, "berg-controller");
}

export async function tokenOf(admin: Client, account: string, namespace = "berg"): Promise<string> {
  const { status } = await admin.createSubresource<{ status: { token: string } }>(
    ServiceAccounts,
    namespace,
    account,
    "token",
    { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
  );
  return status.token;
}

/** They are, a moment after they are made. */
async function policiesInForce(controller: Client): Promise<void> {
  const marks = { [labels.managedBy]: managedByBerg, [labels.instanceUid]: "5f0c1a52-uid" };
  const early = {
    "'berg-controller'": { name: "challenge-early" },
    "'berg-controller-contents'": { name: "challenge-early", labels: { ...marks, team: "blue" } },
  };
  for (const [policy, metadata] of Object.entries(early)) {
    const attempt = () => controller.create(Namespaces, { metadata }, { dryRun: true });
    await vi.waitFor(() => expect(attempt()).rejects.toThrow(policy), { timeout: 30_000, interval: 100 });
  }
}
