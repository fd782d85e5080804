/** What the Pod Security checks read of a pod. It has been decoded and validated by then. */
export interface SecurityContext {
  privileged?: boolean;
  allowPrivilegeEscalation?: boolean;
  capabilities?: { add?: string[]; drop?: string[] };
  procMount?: string;
  appArmorProfile?: { type: string };
  seccompProfile?: { type: string };
  seLinuxOptions?: { type?: string; user?: string; role?: string };
  windowsOptions?: { hostProcess?: boolean };
  runAsNonRoot?: boolean;
  runAsUser?: number;
}

export interface Handler {
  httpGet?: { host?: string };
  tcpSocket?: { host?: string };
}

export interface Container {
  name: string;
  image?: string;
  ports?: { hostPort?: number }[];
  securityContext?: SecurityContext;
  livenessProbe?: Handler;
  readinessProbe?: Handler;
  startupProbe?: Handler;
  lifecycle?: { postStart?: Handler; preStop?: Handler };
}

export interface PodSpec {
  containers?: Container[];
  initContainers?: Container[];
  ephemeralContainers?: Container[];
  volumes?: ({ name: string } & Record<string, unknown>)[];
  securityContext?: SecurityContext & { sysctls?: { name: string }[] };
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  hostUsers?: boolean;
  os?: { name: string };
}

/** A pod, or the template of one. */
export interface PodLike {
  metadata?: { annotations?: Record<string, string> };
  spec?: PodSpec;
}

/** In the order in which violations name them. */
export function containersOf({ spec = {} }: PodLike): Container[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}
