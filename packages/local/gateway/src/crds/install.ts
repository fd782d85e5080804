/** Brings the gateway's kinds to a cluster, and leaves those alone that others have brought. */
import { isAlreadyExists, isNotFound, type Stored } from "@berg/apimachinery";
import { type Client, type Clock, isConditionTrue, sleep, systemClock } from "@berg/kube";
import { type Crd, CustomResourceDefinitions, gatewayCrds, oursAnnotation } from "./crds.ts";

export interface InstallOptions {
  clock?: Clock;
  signal?: AbortSignal;
}

const fieldManager = "berg-local-gateway";
const lookAgainMs = 20;

/**
 * Resolves when every kind is served. May be called at every start.
 *
 *     await installGatewayKinds(client, { signal });
 */
export async function installGatewayKinds(client: Client, options: InstallOptions = {}): Promise<void> {
  await Promise.all(
    gatewayCrds.map(async (crd) => {
      await ensure(client, crd, options.signal);
      await untilEstablished(client, crd, options);
    }),
  );
}

async function ensure(client: Client, crd: Crd, signal: AbortSignal | undefined): Promise<void> {
  const found = await find(client, crd.metadata.name, signal);
  if (found && found.metadata.annotations?.[oursAnnotation] === undefined) return;
  if (found) {
    await client.apply(CustomResourceDefinitions, crd, { fieldManager, force: true, signal });
    return;
  }
  try {
    await client.create(CustomResourceDefinitions, crd, { fieldManager, signal });
  } catch (error) {
    // Somebody was quicker; theirs is as good.
    if (!isAlreadyExists(error)) throw error;
  }
}

async function find(client: Client, name: string, signal: AbortSignal | undefined): Promise<Stored<Crd> | undefined> {
  try {
    return await client.get(CustomResourceDefinitions, "", name, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function untilEstablished(client: Client, { metadata }: Crd, options: InstallOptions): Promise<void> {
  const { clock = systemClock, signal } = options;
  for (;;) {
    const { status } = await client.get(CustomResourceDefinitions, "", metadata.name, { signal });
    if (isConditionTrue(status?.conditions, "Established")) return;
    await sleep(clock, lookAgainMs, signal);
  }
}
