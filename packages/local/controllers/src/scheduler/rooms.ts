/** How much of each node is taken. Kept up as pods come and go, so that placing one pod does not count all others. */
import type { Pod } from "@berg/kube";
import { hasEnded } from "../replica-sets/pods.ts";
import { type Amounts, merge, plus, requestsOf } from "./requests.ts";

interface Taken {
  amounts: Amounts;
  pods: number;
  /** `address protocol port`, and how many have it. */
  ports: ReadonlyMap<string, number>;
}

interface Place {
  node: string;
  pod: Pod;
}

const nothing: Taken = { amounts: {}, pods: 0, ports: new Map() };

export interface HostPort {
  address: string;
  protocol: string;
  port: number;
}

export class Rooms {
  readonly #places = new Map<string, Place>();
  readonly #taken = new Map<string, Taken>();

  taken(node: string): Taken {
    return this.#taken.get(node) ?? nothing;
  }

  isPlaced(uid: string): boolean {
    return this.#places.has(uid);
  }

  /** The pod is on this node, or on its way there. */
  place(uid: string, node: string, pod: Pod): void {
    this.remove(uid);
    this.#places.set(uid, { node, pod });
    this.#count(node, pod, 1);
  }

  /** Whether it had a place. */
  remove(uid: string): boolean {
    const place = this.#places.get(uid);
    if (!place) return false;
    this.#places.delete(uid);
    this.#count(place.node, place.pod, -1);
    return true;
  }

  /** Takes over what the cluster says of a pod. Whether that made room for others. */
  see(uid: string, pod: Pod): boolean {
    if (hasEnded(pod)) return this.remove(uid);
    const node = pod.spec?.nodeName;
    // Without a node it may be on its way to one: that is for whoever sent it to say.
    if (node) this.place(uid, node, pod);
    return false;
  }

  #count(node: string, pod: Pod, sign: 1 | -1): void {
    const { amounts, pods, ports } = this.taken(node);
    const counted = new Map(ports);
    for (const port of hostPortsOf(pod)) {
      const key = `${port.address} ${port.protocol} ${port.port}`;
      const count = (counted.get(key) ?? 0) + sign;
      if (count > 0) counted.set(key, count);
      else counted.delete(key);
    }
    const added = merge(amounts, requestsOf(pod), (a, b) => plus(a, sign * b));
    this.#taken.set(node, { amounts: added, pods: pods + sign, ports: counted });
  }
}

const everyAddress = "0.0.0.0";

export function hostPortsOf({ spec }: Pod): HostPort[] {
  const sidecars = (spec?.initContainers ?? []).filter(
    (container) => (container as { restartPolicy?: string }).restartPolicy === "Always",
  );
  return [...(spec?.containers ?? []), ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .filter(({ hostPort }) => hostPort)
    .map(({ hostPort, hostIP, protocol }) => {
      return { address: hostIP || everyAddress, protocol: protocol ?? "TCP", port: hostPort as number };
    });
}

/** Every address takes the port from each single one, and the other way round. */
export function isPortTaken({ ports }: Taken, wanted: HostPort): boolean {
  return [...ports.keys()].some((key) => {
    const [address, protocol, port] = key.split(" ");
    const isSame = protocol === wanted.protocol && Number(port) === wanted.port;
    return isSame && (address === wanted.address || [address, wanted.address].includes(everyAddress));
  });
}

export type { Taken };
