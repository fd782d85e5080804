/** Which containers are on a network: told, and changed. Each of these may be asked for again. */
import { type SummaryAnswer, summaryOf } from "./answers.ts";
import { type ConnectOptions, type ContainerSummary, EngineError } from "./engine.ts";
import type { Session, SessionCall } from "./session.ts";

export async function listNetworkContainers(
  session: Session,
  network: string,
  signal?: AbortSignal,
): Promise<ContainerSummary[]> {
  const what = `list the containers of network ${network}`;
  const query = { all: true, filters: JSON.stringify({ network: [network] }) };
  const { body } = await session.send({ what, method: "GET", path: "/containers/json", query, signal });
  return ((body ?? []) as SummaryAnswer[]).map(summaryOf);
}

export async function connectNetwork(
  session: Session,
  network: string,
  container: string,
  { address }: ConnectOptions = {},
  signal?: AbortSignal,
): Promise<void> {
  const json = { Container: container, ...(address && { EndpointConfig: { IPAMConfig: { IPv4Address: address } } }) };
  const what = `connect container ${container} to network ${network}`;
  const path = `/networks/${encodeURIComponent(network)}/connect`;
  await ask(session, { what, method: "POST", path, json, signal }, /already exists in network|already connected/);
}

export async function disconnectNetwork(
  session: Session,
  network: string,
  container: string,
  signal?: AbortSignal,
): Promise<void> {
  const what = `disconnect container ${container} from network ${network}`;
  const path = `/networks/${encodeURIComponent(network)}/disconnect`;
  // Docker lets go of one that is not running, or gone, only by force.
  const json = { Container: container, Force: true };
  await ask(session, { what, method: "POST", path, json, signal, alsoGood: [404] }, /is not connected to/);
}

const deadlineMs = 60_000;

/** An engine that refuses because it is so already has done what it was asked for. Podman's answer is not JSON. */
async function ask(session: Session, call: SessionCall, already: RegExp): Promise<void> {
  try {
    (await session.open({ deadlineMs, ...call })).resume();
  } catch (error) {
    if (!(error instanceof EngineError && already.test(error.message))) throw error;
  }
}
