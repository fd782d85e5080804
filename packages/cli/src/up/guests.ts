/** Lets pods reach the client proxy on the network of their namespace, which is closed to all but pods. */
import type { Networks } from "@berg/local-node";
import type { Guests } from "@berg/tunnel";

/** A ContainerNetwork with the name of a namespace is its network. */
export function guestsOf(networks: Networks): Guests {
  return {
    joined: (network, guest) => networks.guestJoined(network, guest),
    async left(id) {
      networks.guestLeft(id);
    },
  };
}
