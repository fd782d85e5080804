/** What the processes of a pod may do. */

import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from "../../../../errors/field-error.ts";
import { oneOf, pathDownwards } from "../../../checks/field-rules.ts";
import { between } from "../../../checks/names.ts";
import type { PodSpec, Profile, SecurityContext } from "../../types.ts";

/** Linux holds users and groups in 31 bits. */
const largestId = 2 ** 31 - 1;

export function containerSecurity(path: string, context: SecurityContext | undefined, spec: PodSpec): FieldError[] {
  if (!context) return [];
  const { privileged, allowPrivilegeEscalation, capabilities, procMount } = context;
  const errors = [...id(`${path}.runAsUser`, context.runAsUser), ...id(`${path}.runAsGroup`, context.runAsGroup)];
  if (procMount !== undefined) {
    errors.push(...oneOf(`${path}.procMount`, procMount, ["Default", "Unmasked"]));
    if (procMount === "Unmasked" && spec.hostUsers !== false)
      errors.push(invalid(`${path}.procMount`, procMount, "`hostUsers` must be false to use `Unmasked`"));
  }
  errors.push(...seccomp(`${path}.seccompProfile`, context.seccompProfile));
  if (allowPrivilegeEscalation === false) {
    const without = "cannot set `allowPrivilegeEscalation` to false and";
    if (privileged) errors.push(invalid(path, asShown(context), `${without} \`privileged\` to true`));
    if (capabilities?.add?.includes("CAP_SYS_ADMIN"))
      errors.push(invalid(path, asShown(context), `${without} \`capabilities.Add\` CAP_SYS_ADMIN`));
  }
  return [...errors, ...appArmor(`${path}.appArmorProfile`, context.appArmorProfile)];
}

const fieldsInOrder = [
  ...["capabilities", "privileged", "seLinuxOptions", "windowsOptions", "runAsUser", "runAsGroup", "runAsNonRoot"],
  ...["readOnlyRootFilesystem", "allowPrivilegeEscalation", "procMount", "seccompProfile", "appArmorProfile"],
];

/** Kubernetes shows its own struct here: with its own names, in its own order, and with what is not set. */
function asShown(context: SecurityContext): object {
  const { capabilities, seccompProfile, appArmorProfile, seLinuxOptions: labels } = context;
  const parts: Record<string, unknown> = {
    ...context,
    ...(capabilities && { capabilities: { Add: capabilities.add ?? null, Drop: capabilities.drop ?? null } }),
    ...(labels && {
      seLinuxOptions: {
        User: labels.user ?? "",
        Role: labels.role ?? "",
        Type: labels.type ?? "",
        Level: labels.level ?? "",
      },
    }),
    ...(seccompProfile && { seccompProfile: profileAsShown(seccompProfile) }),
    ...(appArmorProfile && { appArmorProfile: profileAsShown(appArmorProfile) }),
  };
  const goName = (name: string) =>
    name === "seLinuxOptions" ? "SELinuxOptions" : name[0]?.toUpperCase() + name.slice(1);
  return Object.fromEntries(fieldsInOrder.map((name) => [goName(name), parts[name] ?? null]));
}

function profileAsShown({ type, localhostProfile }: Profile): object {
  return { Type: type, LocalhostProfile: localhostProfile ?? null };
}

export function podSecurity(path: string, spec: PodSpec): FieldError[] {
  const context = spec.securityContext ?? {};
  const errors = [
    ...id(`${path}.fsGroup`, context.fsGroup),
    ...id(`${path}.runAsUser`, context.runAsUser),
    ...id(`${path}.runAsGroup`, context.runAsGroup),
    ...(context.supplementalGroups ?? []).flatMap((group, index) => id(`${path}.supplementalGroups[${index}]`, group)),
  ];
  if (spec.shareProcessNamespace && spec.hostPID) {
    const text = "ShareProcessNamespace and HostPID cannot both be enabled";
    errors.push(invalid(`${path}.shareProcessNamespace`, true, text));
  }
  errors.push(...sysctls(`${path}.sysctls`, spec));
  const choices: [field: "fsGroupChangePolicy" | "supplementalGroupsPolicy" | "seLinuxChangePolicy", string[]][] = [
    ["fsGroupChangePolicy", ["Always", "OnRootMismatch"]],
    ["supplementalGroupsPolicy", ["Merge", "Strict"]],
    ["seLinuxChangePolicy", ["Recursive"]],
  ];
  const chosen = (field: (typeof choices)[number][0]) => {
    const value = context[field];
    const values = choices.find(([name]) => name === field)?.[1] ?? [];
    return value === undefined ? [] : oneOf(`${path}.${field}`, value, values);
  };
  return [
    ...errors,
    ...chosen("fsGroupChangePolicy"),
    ...seccomp(`${path}.seccompProfile`, context.seccompProfile),
    ...appArmor(`${path}.appArmorProfile`, context.appArmorProfile),
    ...chosen("supplementalGroupsPolicy"),
    ...chosen("seLinuxChangePolicy"),
  ];
}

/** A pod with users of its own shares nothing else with the node. */
export function ownUsers(path: string, spec: PodSpec): FieldError[] {
  if (spec.hostUsers !== false) return [];
  const text = "when `hostUsers` is false";
  const errors: FieldError[] = [];
  if (spec.hostNetwork) errors.push(forbidden(`${path}.hostNetwork`, text));
  if (spec.hostPID) errors.push(forbidden(`${path}.HostPID`, text));
  if (spec.hostIPC) errors.push(forbidden(`${path}.HostIPC`, text));
  for (const list of ["initContainers", "containers", "ephemeralContainers"] as const)
    for (const [index, { volumeDevices }] of (spec[list] ?? []).entries())
      if (volumeDevices) errors.push(forbidden(`${path}.${list}[${index}].volumeDevices`, text));
  return errors;
}

function id(path: string, value: number | undefined): FieldError[] {
  if (value === undefined || (value >= 0 && value <= largestId)) return [];
  return [invalid(path, value, between(0, largestId))];
}

const profileTypes = ["Localhost", "RuntimeDefault", "Unconfined"];

function seccomp(path: string, profile: Profile | undefined): FieldError[] {
  if (!profile) return [];
  const { type, localhostProfile } = profile;
  const errors: FieldError[] = [];
  if (type === "") errors.push(required(`${path}.type`, "type is required when seccompProfile is set"));
  else if (!profileTypes.includes(type)) errors.push(notSupported(`${path}.type`, type, profileTypes));
  const at = `${path}.localhostProfile`;
  if (type === "Localhost" && localhostProfile === undefined)
    errors.push(required(at, "must be set when seccomp type is Localhost"));
  else if (type === "Localhost") errors.push(...pathDownwards(at, localhostProfile ?? ""));
  else if (localhostProfile !== undefined)
    errors.push(invalid(at, profileAsShown(profile), "can only be set when seccomp type is Localhost"));
  return errors;
}

const longestPath = 4095;

function appArmor(path: string, profile: Profile | undefined): FieldError[] {
  if (!profile) return [];
  const { type, localhostProfile } = profile;
  const at = `${path}.localhostProfile`;
  if (type === "") return [required(`${path}.type`, "type is required when appArmorProfile is set")];
  if (!profileTypes.includes(type)) return [notSupported(`${path}.type`, type, profileTypes)];
  if (type !== "Localhost") {
    if (localhostProfile === undefined) return [];
    return [invalid(at, localhostProfile, "can only be set when AppArmor type is Localhost")];
  }
  const missing = required(at, "must be set when AppArmor type is Localhost");
  if (localhostProfile === undefined || localhostProfile === "") return [missing];
  const errors: FieldError[] = [];
  if (localhostProfile !== localhostProfile.trim())
    errors.push(invalid(at, localhostProfile, "must not be padded with whitespace"));
  if (Buffer.byteLength(localhostProfile) > longestPath) errors.push(tooLong(at, longestPath));
  return errors;
}

const sysctlPart = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const sysctlName = `^(${sysctlPart}[\\./])*${sysctlPart}$`;
const sysctlPattern = new RegExp(sysctlName);
const longestSysctl = 253;

function sysctls(path: string, spec: PodSpec): FieldError[] {
  const seen = new Set<string>();
  return (spec.securityContext?.sysctls ?? []).flatMap(({ name }, index) => {
    const at = `${path}[${index}].name`;
    const errors: FieldError[] = [];
    if (name === "") errors.push(required(at));
    else if (name.length > longestSysctl || !sysctlPattern.test(name))
      errors.push(invalid(at, name, `must have at most ${longestSysctl} characters and match regex ${sysctlName}`));
    else if (seen.has(name)) errors.push(duplicate(at, name));
    seen.add(name);
    if (spec.hostNetwork && /^net[./]/.test(name))
      errors.push(invalid(at, name, "may not be specified when 'hostNetwork' is true"));
    else if (spec.hostIPC && /^(kernel[./](sem|shm|msg)|fs[./]mqueue[./])/.test(name))
      errors.push(invalid(at, name, "may not be specified when 'hostIPC' is true"));
    return errors;
  });
}
