/** The client proxy's container, as the engine is asked to make it. Pure. */
import type { ContainerCreate, Labels } from "@berg/local-engine";
import { environment } from "../../vocabulary.ts";
import type { ManagementNetwork, StartName } from "./management-network.ts";

const mebibyte = 1024 * 1024;
/** Ten thousand streams and their buffers. */
const memoryBytes = 1024 * mebibyte;

export interface ClientContainer {
  readonly image: string;
  readonly labels: Labels;
  /** PEM, of the server proxy. */
  readonly peer: string;
  readonly management: ManagementNetwork;
}

/**
 * How many files it may open is the engine's affair: as many as this host allows, and Node takes all that it may.
 *
 * It stands between a hostile network and the host: it may do nothing but listen and answer. The engine removes it as
 * soon as it has ended, so that nothing is left where nobody watches any more.
 */
export function clientContainer({ image, labels, peer, management }: ClientContainer): ContainerCreate {
  return {
    Image: image,
    User: "65532:65532",
    Env: [`${environment.peer}=${peer}`, `${environment.management}=${management.subnet}`],
    Labels: labels,
    HostConfig: {
      NetworkMode: management.name,
      AutoRemove: true,
      CapDrop: ["ALL"],
      ReadonlyRootfs: true,
      SecurityOpt: ["no-new-privileges"],
      Sysctls: {
        // A tunnel may be entered at port 80, and needs no right for it that could be used for anything else.
        "net.ipv4.ip_unprivileged_port_start": "0",
        // It is on two networks: else its kernel would pass packets from one to the other.
        "net.ipv4.ip_forward": "0",
      },
      Memory: memoryBytes,
      MemorySwap: memoryBytes,
      PidsLimit: 64,
      LogConfig: { Type: "json-file", Config: { "max-size": "10m", "max-file": "2" } },
      RestartPolicy: { Name: "no" },
    },
  };
}

/** With the object's name in it, for whoever looks with the engine's own commands. */
export function containerName({ name, id }: StartName): string {
  return `berg-tunnel-${name.slice(0, 40)}-${id}`;
}
