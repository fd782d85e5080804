/** Makes exactly these users cluster-admin in a target, and says where a name is taken. */
import { isAlreadyExists, type Stored } from "@berg/apimachinery";
import { type Client, deleteChild } from "@berg/kube";
import type { Cluster } from "@berg/resources";
import { bindingSelectorOf, ClusterRoleBindings, isBindingOf, planBindings } from "./plan.ts";

/** A binding of this name is there, and is somebody else's. */
export class BindingTaken extends Error {
  readonly binding: string;

  constructor(binding: string) {
    super(`the ClusterRoleBinding "${binding}" is somebody else's`);
    this.name = "BindingTaken";
    this.binding = binding;
  }
}

export async function setBindings(
  client: Client,
  cluster: Stored<Cluster>,
  administrators: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const selection = { labelSelector: bindingSelectorOf(cluster), signal };
  const { items } = await client.listAll(ClusterRoleBindings, selection);
  const plan = planBindings(administrators, items, cluster);
  for (const binding of plan.remove) await deleteChild(client, ClusterRoleBindings, binding, { signal });
  for (const manifest of plan.create) {
    try {
      await client.create(ClusterRoleBindings, manifest, { signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const found = await client.get(ClusterRoleBindings, "", manifest.metadata.name, { signal });
      // Ours where the answer to an earlier try was lost.
      if (!isBindingOf(found, cluster)) throw new BindingTaken(manifest.metadata.name);
    }
  }
}
