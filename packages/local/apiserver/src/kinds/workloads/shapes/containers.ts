/** Containers of a pod, and what each of them is given: environment, ports, mounts. */
import { always, bool, choice, int32, kept, list, listMap, object, setOf, text } from "../../shapes.ts";
import { lifecycle, probe } from "./probes.ts";
import {
  configMapKeySelector,
  fileKeySelector,
  objectFieldSelector,
  resourceFieldSelector,
  resourceRequirements,
  secretKeySelector,
} from "./references.ts";
import { securityContext } from "./security.ts";

const configMapEnvSource = object({
  name: text(),
  optional: kept(bool()),
});

const secretEnvSource = object({
  name: text(),
  optional: kept(bool()),
});

const envFromSource = object({
  configMapRef: configMapEnvSource,
  prefix: text(),
  secretRef: secretEnvSource,
});

const envVarSource = object({
  configMapKeyRef: configMapKeySelector,
  fieldRef: objectFieldSelector,
  fileKeyRef: fileKeySelector,
  resourceFieldRef: resourceFieldSelector,
  secretKeyRef: secretKeySelector,
});

const envVar = object(
  {
    name: always(text()),
    value: text(),
    valueFrom: envVarSource,
  },
  ["name"],
);

const containerPort = object(
  {
    containerPort: always(int32()),
    hostIP: text(),
    hostPort: int32(),
    name: text(),
    protocol: { ...choice("SCTP", "TCP", "UDP"), default: "TCP" },
  },
  ["containerPort"],
);

const containerResizePolicy = object(
  {
    resourceName: always(text()),
    restartPolicy: always(text()),
  },
  ["resourceName", "restartPolicy"],
);

const containerRestartRuleOnExitCodes = object(
  {
    operator: always(text()),
    values: setOf(int32()),
  },
  ["operator"],
);

const containerRestartRule = object(
  {
    action: always(text()),
    exitCodes: containerRestartRuleOnExitCodes,
  },
  ["action"],
);

const volumeDevice = object(
  {
    devicePath: always(text()),
    name: always(text()),
  },
  ["name", "devicePath"],
);

const volumeMount = object(
  {
    mountPath: always(text()),
    mountPropagation: kept(choice("Bidirectional", "HostToContainer", "None")),
    name: always(text()),
    readOnly: bool(),
    recursiveReadOnly: kept(text()),
    subPath: text(),
    subPathExpr: text(),
  },
  ["name", "mountPath"],
);

export const container = object(
  {
    args: list(text()),
    command: list(text()),
    env: listMap(["name"], envVar, "name"),
    envFrom: list(envFromSource),
    image: text(),
    imagePullPolicy: choice("Always", "IfNotPresent", "Never"),
    lifecycle,
    livenessProbe: probe,
    name: always(text()),
    ports: listMap(["containerPort", "protocol"], containerPort, "containerPort"),
    readinessProbe: probe,
    resizePolicy: list(containerResizePolicy),
    resources: always(resourceRequirements),
    restartPolicy: kept(text()),
    restartPolicyRules: list(containerRestartRule),
    securityContext,
    startupProbe: probe,
    stdin: bool(),
    stdinOnce: bool(),
    terminationMessagePath: text(),
    terminationMessagePolicy: choice("FallbackToLogsOnError", "File"),
    tty: bool(),
    volumeDevices: listMap(["devicePath"], volumeDevice, "devicePath"),
    volumeMounts: listMap(["mountPath"], volumeMount, "mountPath"),
    workingDir: text(),
  },
  ["name"],
);

export const ephemeralContainer = object(
  {
    args: list(text()),
    command: list(text()),
    env: listMap(["name"], envVar, "name"),
    envFrom: list(envFromSource),
    image: text(),
    imagePullPolicy: choice("Always", "IfNotPresent", "Never"),
    lifecycle,
    livenessProbe: probe,
    name: always(text()),
    ports: listMap(["containerPort", "protocol"], containerPort, "containerPort"),
    readinessProbe: probe,
    resizePolicy: list(containerResizePolicy),
    resources: always(resourceRequirements),
    restartPolicy: kept(text()),
    restartPolicyRules: list(containerRestartRule),
    securityContext,
    startupProbe: probe,
    stdin: bool(),
    stdinOnce: bool(),
    targetContainerName: text(),
    terminationMessagePath: text(),
    terminationMessagePolicy: choice("FallbackToLogsOnError", "File"),
    tty: bool(),
    volumeDevices: listMap(["devicePath"], volumeDevice, "devicePath"),
    volumeMounts: listMap(["mountPath"], volumeMount, "mountPath"),
    workingDir: text(),
  },
  ["name"],
);
