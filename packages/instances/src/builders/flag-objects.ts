import { type ConfigMap, ConfigMaps, type Secret, Secrets } from "@berg/kube";
import type { Blueprint, Child } from "./blueprint.ts";
import { containerFlag } from "./container-flag.ts";
import { type FlagFilePlan, flagObjectNames } from "./flag-volume.ts";
import { marks } from "./marks.ts";
import { instanceNamespaceName } from "./names.ts";

/**
 * What holds the flag for the containers that want it in a file: at most one object with its text and one with the
 * program. An instance has one flag, so containers that want the same share it.
 */
export function flagObjects(blueprint: Blueprint): (Child<ConfigMap> | Child<Secret>)[] {
  const wanted = new Map<FlagFilePlan["way"], FlagFilePlan>();
  for (const container of blueprint.workload.containers) {
    const flag = containerFlag(blueprint, container);
    if (flag && flag.way !== "env") wanted.set(flag.way, flag);
  }
  return [...wanted.values()].map((flag) => flagObject(blueprint, flag));
}

function flagObject(blueprint: Blueprint, { way, file }: FlagFilePlan): Child<ConfigMap> | Child<Secret> {
  const metadata = {
    name: flagObjectNames[way],
    namespace: instanceNamespaceName(blueprint.instance.ownerId),
    ...marks(blueprint, flagObjectNames[way]),
  };
  const bytes = { [way]: file.bytes.toString("base64") };
  return blueprint.settings.flagStorage === "Secret"
    ? { type: Secrets, manifest: { metadata, type: "Opaque", data: bytes } }
    : { type: ConfigMaps, manifest: { metadata, binaryData: bytes } };
}
