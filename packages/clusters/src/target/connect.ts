import { type Client, type Clock, type Connection, createClient } from "@berg/kube";
import type { AllowedAddresses } from "./address/addresses.ts";
import { guardedLookup, type Resolve } from "./address/lookup.ts";
import type { Access } from "./kubeconfig/kubeconfig.ts";

/** A target may be anybody's, and must not fill our memory. Lists of what we make there are far shorter. */
const largestAnswerBytes = 2 * 1024 * 1024;
const budget = { items: 5_000, pages: 10, groupVersions: 200, discoveryMs: 10_000 };

/** Where a name is turned into an address that the socket must not connect to, it does not. */
export interface AddressGuard {
  allowed: AllowedAddresses;
  resolve: Resolve;
}

/** Made by whoever knows who may write: targets are written to by the leader alone. */
export type Connect = (access: Access, guard?: AddressGuard) => Client;

/** Neither a logger nor metrics: nothing of a target's answers and addresses is anybody's business but the caller's. */
export function connectTo(access: Access, clock: Clock, guard?: AddressGuard): Client {
  const connection = connectionTo(access, guard);
  return createClient({ connection, component: "clusters", clock, largestAnswerBytes, budget });
}

function connectionTo({ server, ca, credentials }: Access, guard: AddressGuard | undefined): Connection {
  const pair = "token" in credentials ? {} : credentials;
  const header = "token" in credentials ? `Bearer ${credentials.token}` : undefined;
  const lookup = guard && guardedLookup(guard.allowed, guard.resolve);
  return {
    server,
    namespace: "default",
    tls: async () => ({ ca, ...pair, rejectUnauthorized: true, ...(lookup && { lookup }) }),
    authorization: async () => header,
    refused: () => {},
  };
}
