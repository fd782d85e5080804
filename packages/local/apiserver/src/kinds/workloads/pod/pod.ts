/** Pods. */

import type { ServedResource, Strategy, Subresource } from "../../../registry/resource.ts";
import { subdomainProblems } from "../../../schema/metadata/names.ts";
import { served } from "../../served.ts";
import { always, object } from "../../shapes.ts";
import { toStoredForm } from "../../stored-form.ts";
import { podSpec } from "../shapes/pod-spec.ts";
import { podStatus } from "../shapes/pod-status.ts";
import { asA, type Pod } from "../types.ts";
import { podColumns, podRowConditions } from "./columns.ts";
import { fillInPod, fillInPodSpec } from "./defaults.ts";
import { gracePeriod } from "./grace.ts";
import { addMatchLabelKeys } from "./label-keys.ts";
import { qualityOfService } from "./quality-of-service.ts";
import { newPod } from "./rules/pod.ts";
import { changedStatus } from "./rules/status.ts";
import { changedEphemeralContainers, changedPod } from "./rules/update.ts";
import { fillInAddresses, keepGenerations, newStatus } from "./status.ts";
import { podWarnings } from "./warnings.ts";

const schema = object({ spec: always(podSpec), status: always(podStatus) });

const strategy: Strategy = {
  hasStatus: true,
  hasGeneration: true,
  fillIn(draft) {
    toStoredForm(draft, schema);
    const { spec, status } = asA<Pod>(draft);
    fillInPodSpec(spec);
    fillInPod(spec);
    fillInAddresses(status);
  },
  prepare(draft, old, { now }) {
    const pod = asA<Pod>(draft);
    if (old) return;
    pod.status = newStatus(pod.spec, qualityOfService(pod.spec), now);
    addMatchLabelKeys(pod);
  },
  prepareStatus(draft, old) {
    // Old kubelets sent owner references back damaged, and the garbage collector deleted what was owned.
    delete draft.metadata.ownerReferences;
    if (old.metadata.ownerReferences) draft.metadata.ownerReferences = old.metadata.ownerReferences;
    keepGenerations(asA<Pod>(draft).status, asA<Pod>(old).status);
  },
  validate(draft, old, subresource) {
    const pod = asA<Pod>(draft);
    if (!old) return newPod(pod);
    if (subresource === "status") return changedStatus(pod, asA<Pod>(old));
    if (subresource === "ephemeralcontainers") return changedEphemeralContainers(pod, asA<Pod>(old));
    return changedPod(pod, asA<Pod>(old));
  },
  warnings: (draft, old) => (old ? [] : podWarnings(asA<Pod>(draft))),
  gracePeriod: (object, wanted) => gracePeriod(asA<Pod>(object), wanted),
  nameProblems: subdomainProblems,
};

const core = { group: "", version: "v1" } as const;
const stream = (kind: string): Subresource => ({ ...core, kind, verbs: ["create", "get"] });
const part: Subresource = { ...core, kind: "Pod", verbs: ["get", "patch", "update"] };

export const pods: ServedResource = served({
  ...core,
  resource: "pods",
  kind: "Pod",
  shortNames: ["po"],
  categories: ["all"],
  namespaced: true,
  schema,
  columns: podColumns,
  rowConditions: podRowConditions,
  selectableFields: {
    "spec.nodeName": (object) => asA<Pod>(object).spec.nodeName ?? "",
    "spec.restartPolicy": (object) => asA<Pod>(object).spec.restartPolicy ?? "",
    "spec.schedulerName": (object) => asA<Pod>(object).spec.schedulerName ?? "",
    "spec.serviceAccountName": (object) => asA<Pod>(object).spec.serviceAccountName ?? "",
    "spec.hostNetwork": (object) => `${asA<Pod>(object).spec.hostNetwork ?? false}`,
    "status.phase": (object) => asA<Pod>(object).status.phase ?? "",
    "status.podIP": (object) => asA<Pod>(object).status.podIPs?.[0]?.ip ?? "",
    "status.nominatedNodeName": (object) => asA<Pod>(object).status.nominatedNodeName ?? "",
  },
  strategy,
  subresources: {
    attach: stream("PodAttachOptions"),
    binding: { ...core, kind: "Binding", verbs: ["create"] },
    ephemeralcontainers: part,
    eviction: { group: "policy", version: "v1", kind: "Eviction", verbs: ["create"] },
    exec: stream("PodExecOptions"),
    log: { ...core, kind: "Pod", verbs: ["get"] },
    portforward: stream("PodPortForwardOptions"),
    resize: part,
  },
});
