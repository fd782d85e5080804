/**
 * A pair of an earlier process, found by what the object's status says: the container by its id, the server proxy by its
 * number and start time, so that no other process is taken for it.
 */
import type { Stored } from "@berg/apimachinery";
import { errorText, sleep } from "@berg/kube";
import { EngineError } from "@berg/local-engine";
import type { ContainerNetwork, ContainerNetworkTunnelProxy } from "@berg/resources";
import { texts } from "../../vocabulary.ts";
import { nameOnEngine, type Pair, type PairWatches } from "./start-pair.ts";
import { type PairSurroundings, startDirectories } from "./surroundings.ts";

const askAgainMs = 1_000;

export async function adoptPair(
  object: Stored<ContainerNetworkTunnelProxy>,
  network: Stored<ContainerNetwork> | undefined,
  around: PairSurroundings,
  watch: PairWatches,
  signal: AbortSignal,
): Promise<Pair | { lost: string }> {
  const { programs, engine, guests } = around;
  const { status = {} as Partial<NonNullable<typeof object.status>> } = object;
  const { clientProxyContainerId: containerId, clientProxyControlPort: controlPort } = status;
  const { clientProxyDataPort: dataPort, serverProxyStdOutFile: stdoutFile = "" } = status;
  const { serverProxyStdErrFile: stderrFile = "" } = status;
  const directories = await startDirectories(around, object.metadata.uid);
  const found = await Promise.all(directories.map((one) => programs.find(one)));
  const server = found.find(
    (one) => one?.pid === status.serverProxyProcessId && one?.startTime === status.serverProxyStartupTimestamp,
  );
  if (!server || !containerId || !controlPort || !dataPort) return { lost: texts.lost };

  const control = watch.server(server);
  // Before it is looked at, so that its end is not missed.
  watch.container(containerId);
  const container = await untilAnswered(() => engine.inspectContainer(containerId, signal), around, signal);
  if (container?.state.status !== "running") return { lost: texts.containerGone };
  const address = network && container.addresses[nameOnEngine(network)];
  if (address) await guests?.joined(object.spec.containerNetworkName, { id: containerId, address });
  const { pid: processId, startTime: processStartTime } = server;
  const facts = { containerId, processId, processStartTime, stdoutFile, stderrFile, controlPort, dataPort };
  return { facts, control };
}

/** An engine that does not answer says nothing about the container. */
async function untilAnswered<T>(ask: () => Promise<T>, { clock, log }: PairSurroundings, signal: AbortSignal) {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof EngineError)) throw error;
      log.warn({ error: errorText(error) }, "the engine does not say whether a client proxy still runs; asking again");
    }
    await sleep(clock, askAgainMs, signal);
  }
}
