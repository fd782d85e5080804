import type { Pod } from "@berg/kube";

/**
 * How long from its start the probes of a container let it take by themselves: as long as the startup probe has tries
 * left, and then until the readiness probe asks for the first time. After that the kubelet would kill it, or it is slow.
 */
export function probeAllowanceMs({ spec }: Pod, container: string | undefined): number {
  const { startupProbe, readinessProbe } = spec?.containers.find(({ name }) => name === container) ?? {};
  return (startupSeconds(startupProbe) + (readinessProbe?.initialDelaySeconds ?? 0)) * 1000;
}

type Probe = NonNullable<NonNullable<Pod["spec"]>["containers"][number]["startupProbe"]>;

function startupSeconds(probe: Probe | undefined): number {
  if (!probe) return 0;
  const { initialDelaySeconds = 0, periodSeconds = 10, failureThreshold = 3, timeoutSeconds = 1 } = probe;
  // The last try may take its time, too.
  return initialDelaySeconds + periodSeconds * failureThreshold + timeoutSeconds;
}
