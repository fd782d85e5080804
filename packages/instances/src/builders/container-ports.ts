import { type ChallengeContainer, transportProtocol } from "@berg/resources";

export interface ContainerPort {
  containerPort: number;
  protocol: "TCP" | "UDP";
  name?: string;
}

/** Shorter than the names of Services may be, and told apart within a container. */
const longestPortName = 15;
const portName = /^(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * The ports that a container declares: documentation for whoever looks at the pod, since Services go by number. So a
 * name that Kubernetes does not take here is left out, rather than the whole Deployment refused.
 */
export function containerPorts({ ports }: ChallengeContainer): ContainerPort[] {
  const names = new Set<string>();
  const declared = new Map<string, ContainerPort>();
  for (const { port, protocol: written, name } of ports) {
    const protocol = transportProtocol(written);
    const key = `${port}/${protocol}`;
    // An author may write "tcp" and "TCP" of one port: two ports to the Challenge, one to Kubernetes.
    if (declared.has(key)) continue;
    const usable = name !== undefined && name.length <= longestPortName && portName.test(name) && !names.has(name);
    if (usable) names.add(name);
    declared.set(key, { containerPort: port, protocol, ...(usable && { name }) });
  }
  return [...declared.values()];
}
