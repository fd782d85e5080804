/** The controls of the restricted level beyond those of the baseline: what hardened pods do without. */
import { type Check, type Control, procMount, seccompProfile, unlessInUserNamespace } from "./baseline.ts";
import type { PodLike, SecurityContext } from "./pod-spec.ts";
import { containersWith, named, plural, quoted, settersOf, sorted, type Violation } from "./violation.ts";

const allowedVolumes = [
  ...["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image"],
  ...["persistentVolumeClaim", "projected", "secret"],
];

/** In the order in which violations are told. */
export const restricted: readonly Control[] = [
  {
    id: "allowPrivilegeEscalation",
    versions: [
      [8, allowPrivilegeEscalation],
      [25, unlessWindows(allowPrivilegeEscalation)],
    ],
  },
  {
    id: "capabilities_restricted",
    versions: [
      [22, capabilities],
      [25, unlessWindows(capabilities)],
    ],
    overrides: ["capabilities_baseline"],
  },
  { id: "procMount_restricted", versions: [[35, procMount]], overrides: ["procMount"] },
  { id: "restrictedVolumes", versions: [[0, volumeTypes]], overrides: ["hostPathVolumes"] },
  {
    id: "runAsNonRoot",
    versions: [
      [0, runAsNonRoot],
      [35, unlessInUserNamespace(runAsNonRoot)],
    ],
  },
  {
    id: "runAsUser",
    versions: [
      [23, runAsUser],
      [35, unlessInUserNamespace(runAsUser)],
    ],
  },
  {
    id: "seccompProfile_restricted",
    versions: [
      [19, requiredSeccompProfile],
      [25, unlessWindows(requiredSeccompProfile)],
    ],
    overrides: ["seccompProfile_baseline"],
  },
];

/** Validation keeps these fields out of pods for Windows. */
function unlessWindows(check: Check): Check {
  return (pod) => (pod.spec?.os?.name === "windows" ? undefined : check(pod));
}

function allowPrivilegeEscalation(pod: PodLike): Violation | undefined {
  const containers = containersWith(pod, (context) => context.allowPrivilegeEscalation !== false);
  if (containers.length === 0) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${named(containers)} must set securityContext.allowPrivilegeEscalation=false`,
  };
}

function capabilities(pod: PodLike): Violation | undefined {
  const isBad = (capability: string) => capability !== "NET_BIND_SERVICE";
  const keeping = containersWith(pod, ({ capabilities }) => !capabilities?.drop?.includes("ALL"));
  const adding = containersWith(pod, ({ capabilities }) => capabilities?.add?.some(isBad) ?? false);
  const added = adding.flatMap(({ securityContext }) => securityContext?.capabilities?.add?.filter(isBad) ?? []);
  const details = [
    ...(keeping.length > 0 ? [`${named(keeping)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(adding.length > 0
      ? [`${named(adding)} must not include ${quoted(sorted(added))} in securityContext.capabilities.add`]
      : []),
  ];
  return details.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: details.join("; ") };
}

function volumeTypes({ spec = {} }: PodLike): Violation | undefined {
  const bad = (spec.volumes ?? []).filter((volume) => !allowedVolumes.some((type) => volume[type] !== undefined));
  if (bad.length === 0) return undefined;
  const types = sorted(bad.map((volume) => Object.keys(volume).find((key) => key !== "name") ?? "unknown"));
  const use = `${plural(bad.length, "uses", "use")} ${plural(types.length, "restricted volume type")}`;
  return {
    reason: "restricted volume types",
    detail: `${plural(bad.length, "volume")} ${quoted(bad.map(({ name }) => name))} ${use} ${quoted(types)}`,
  };
}

function runAsNonRoot(pod: PodLike): Violation | undefined {
  const reason = "runAsNonRoot != true";
  const setters = settersOf(pod, (context) => context.runAsNonRoot === false);
  if (setters !== undefined) return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  const silent = silentContainers(pod, ({ runAsNonRoot }) => runAsNonRoot);
  if (silent.length === 0) return undefined;
  return { reason, detail: `pod or ${named(silent)} must set securityContext.runAsNonRoot=true` };
}

function runAsUser(pod: PodLike): Violation | undefined {
  const setters = settersOf(pod, (context) => context.runAsUser === 0);
  return setters === undefined ? undefined : { reason: "runAsUser=0", detail: `${setters} must not set runAsUser=0` };
}

function requiredSeccompProfile(pod: PodLike): Violation | undefined {
  const bad = seccompProfile(pod);
  if (bad) return bad;
  const silent = silentContainers(pod, (context) => context.seccompProfile);
  if (silent.length === 0) return undefined;
  return {
    reason: "seccompProfile",
    detail: `pod or ${named(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
}

/** Containers that do not set a field, where the pod does not set it for them. */
function silentContainers(pod: PodLike, fieldOf: (context: SecurityContext) => unknown) {
  if (fieldOf(pod.spec?.securityContext ?? {}) !== undefined) return [];
  return containersWith(pod, (context) => fieldOf(context) === undefined);
}
