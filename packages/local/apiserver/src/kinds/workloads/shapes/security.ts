/** What the processes of a pod may do. */
import { always, bool, choice, int64, kept, list, object, text } from "../../shapes.ts";

const appArmorProfile = object(
  {
    localhostProfile: kept(text()),
    type: always(choice("Localhost", "RuntimeDefault", "Unconfined")),
  },
  ["type"],
);

const capabilities = object({
  add: list(text()),
  drop: list(text()),
});

const seLinuxOptions = object({
  level: text(),
  role: text(),
  type: text(),
  user: text(),
});

const seccompProfile = object(
  {
    localhostProfile: kept(text()),
    type: always(choice("Localhost", "RuntimeDefault", "Unconfined")),
  },
  ["type"],
);

const sysctl = object(
  {
    name: always(text()),
    value: always(text()),
  },
  ["name", "value"],
);

const windowsSecurityContextOptions = object({
  gmsaCredentialSpec: kept(text()),
  gmsaCredentialSpecName: kept(text()),
  hostProcess: kept(bool()),
  runAsUserName: kept(text()),
});

export const securityContext = object({
  allowPrivilegeEscalation: kept(bool()),
  appArmorProfile,
  capabilities,
  privileged: kept(bool()),
  procMount: kept(choice("Default", "Unmasked")),
  readOnlyRootFilesystem: kept(bool()),
  runAsGroup: kept(int64()),
  runAsNonRoot: kept(bool()),
  runAsUser: kept(int64()),
  seLinuxOptions,
  seccompProfile,
  windowsOptions: windowsSecurityContextOptions,
});

export const podSecurityContext = object({
  appArmorProfile,
  fsGroup: kept(int64()),
  fsGroupChangePolicy: kept(choice("Always", "OnRootMismatch")),
  runAsGroup: kept(int64()),
  runAsNonRoot: kept(bool()),
  runAsUser: kept(int64()),
  seLinuxChangePolicy: kept(text()),
  seLinuxOptions,
  seccompProfile,
  supplementalGroups: list(int64()),
  supplementalGroupsPolicy: kept(choice("Merge", "Strict")),
  sysctls: list(sysctl),
  windowsOptions: windowsSecurityContextOptions,
});
