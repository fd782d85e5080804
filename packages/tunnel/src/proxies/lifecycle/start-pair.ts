/**
 * Both proxies, from nothing to connected. Where a step fails nothing is taken back here: the object becomes Failed, and
 * what there is of its pair is removed as it is after every other end, by clean-up.ts.
 */
import { basename } from "node:path";
import type { Stored } from "@berg/apimachinery";
import type { ContainerNetwork, ContainerNetworkTunnelProxy } from "@berg/resources";
import type { RunningServerProxy } from "../../server-proxy/launch.ts";
import { engineLabels } from "../../vocabulary.ts";
import type { PairFacts } from "../memory.ts";
import { clientContainer, containerName } from "./client-container.ts";
import { readGreeting } from "./first-line.ts";
import { makeManagementNetwork } from "./management-network.ts";
import type { ServerControl } from "./programs.ts";
import { newStartDirectory, type PairSurroundings, pairLabels } from "./surroundings.ts";

export interface Pair {
  readonly facts: PairFacts;
  readonly control: ServerControl;
}

/** To be called as soon as there is one of them, whatever comes of the rest. */
export interface PairWatches {
  /** One that nobody watches ends by itself. */
  server(server: RunningServerProxy): ServerControl;
  container(id: string): void;
}

export async function startPair(
  object: Stored<ContainerNetworkTunnelProxy>,
  network: Stored<ContainerNetwork>,
  around: PairSurroundings,
  watch: PairWatches,
  signal: AbortSignal,
): Promise<Pair> {
  const { engine, programs, ensureImage, guests } = around;
  const { uid, name } = object.metadata;
  const { baseImage } = object.spec;
  const { image } = await ensureImage({ ...around, baseImage, signal });
  const directory = await newStartDirectory(around, uid);
  const start = { uid, name, id: basename(directory) };
  const management = await makeManagementNetwork(around, start, signal);
  const server = await programs.launch({ directory, name, signal });
  const control = watch.server(server);

  const labels = { ...pairLabels(around, uid), [engineLabels.proxyName]: name };
  const body = clientContainer({ image, labels, peer: server.certificate, management });
  const { id: containerId } = await engine.createContainer(containerName(start), body, signal);
  watch.container(containerId);
  await engine.connectNetwork(nameOnEngine(network), containerId, {}, signal);
  await engine.startContainer(containerId, signal);
  const { certificate, controlPort, dataPort, managementAddress } = await readGreeting(around, containerId, signal);

  // Before the first tunnel is there: whoever finds one can use it.
  const address = (await engine.inspectContainer(containerId, signal))?.addresses[nameOnEngine(network)];
  if (!address) throw new Error(`the client proxy has no address on the network ${nameOnEngine(network)}`);
  await guests?.joined(network.metadata.name, { id: containerId, address });
  await control.connect({ address: managementAddress, controlPort, certificate }, signal);
  const { pid: processId, startTime: processStartTime, stdoutFile, stderrFile } = server;
  const facts = { containerId, processId, processStartTime, stdoutFile, stderrFile, controlPort, dataPort };
  return { facts, control };
}

export function nameOnEngine({ metadata, status }: Stored<ContainerNetwork>): string {
  return status?.networkName ?? metadata.name;
}
