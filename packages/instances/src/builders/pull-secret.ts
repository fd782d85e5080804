import { type Secret, Secrets } from "@berg/kube";
import { components } from "@berg/resources";
import type { Blueprint, Child } from "./blueprint.ts";
import { marks } from "./marks.ts";
import { instanceNamespaceName } from "./names.ts";

/**
 * The organiser's registry credentials, copied to where the pods are. Only the type and the data: labels, annotations
 * and owners of the source would let others take the copy for theirs, or delete it.
 */
export function pullSecretCopy(blueprint: Blueprint, source: Pick<Secret, "type" | "data">): Child<Secret> {
  const { type, data } = source;
  return {
    type: Secrets,
    manifest: {
      metadata: {
        name: blueprint.settings.pullSecretName,
        namespace: instanceNamespaceName(blueprint.instance.ownerId),
        ...marks(blueprint, components.pullSecret),
      },
      ...(type !== undefined && { type }),
      ...(data !== undefined && { data }),
    },
  };
}
