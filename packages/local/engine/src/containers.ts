/** Containers: made, started, looked at, stopped and removed. Each of these may be asked for again. */
import { sleep } from "@berg/kube";
import { type ContainerAnswer, containerOf, type SummaryAnswer, summaryOf } from "./answers.ts";
import { type Container, type ContainerCreate, EngineError, type Labels } from "./engine.ts";
import { filtersOf } from "./filters.ts";
import type { Session } from "./session.ts";
import { ownUlimits } from "./ulimits.ts";

const pathOf = (id: string) => `/containers/${encodeURIComponent(id)}`;

export async function createContainer(session: Session, name: string, body: ContainerCreate, signal?: AbortSignal) {
  const what = `create container ${name}`;
  const path = "/containers/create";
  const json = { ...body, HostConfig: { ...(await ownUlimits()), ...body.HostConfig } };
  const { body: answer } = await session.send({ what, method: "POST", path, query: { name }, json, signal });
  return { id: (answer as { Id: string }).Id };
}

export async function startContainer(session: Session, id: string, signal?: AbortSignal): Promise<void> {
  const what = `start container ${id}`;
  await session.send({ what, method: "POST", path: `${pathOf(id)}/start`, alsoGood: [304], signal });
}

/** The engine's own words, for whoever needs more than a Container says. */
export async function askContainer(session: Session, id: string, signal?: AbortSignal) {
  const what = `inspect container ${id}`;
  const body = await session.find({ what, method: "GET", path: `${pathOf(id)}/json`, signal });
  return body as ContainerAnswer | undefined;
}

export async function inspectContainer(
  session: Session,
  id: string,
  signal?: AbortSignal,
): Promise<Container | undefined> {
  const answer = await askContainer(session, id, signal);
  if (!answer) return undefined;
  const container = containerOf(answer);
  const { state } = container;
  const mayBeOom = state.status === "exited" && state.exitCode !== 0 && !state.oomKilled;
  const { name } = await session.dialect(`inspect container ${id}`, signal);
  if (!mayBeOom || name === "docker") return container;
  return { ...container, state: { ...state, oomKilled: session.oomLog.killed(container.id) } };
}

export async function containerSize(session: Session, id: string, signal?: AbortSignal): Promise<number | undefined> {
  const what = `measure container ${id}`;
  const body = await session.find({ what, method: "GET", path: `${pathOf(id)}/json`, query: { size: true }, signal });
  return (body as { SizeRw?: number } | undefined)?.SizeRw;
}

export async function listContainers(session: Session, labels: Labels, signal?: AbortSignal) {
  const query = { all: true, filters: filtersOf(labels) };
  const { body } = await session.send({
    what: "list containers",
    method: "GET",
    path: "/containers/json",
    query,
    signal,
  });
  return ((body ?? []) as SummaryAnswer[]).map(summaryOf);
}

const afterGraceMs = 60_000;

export async function stopContainer(session: Session, id: string, graceSeconds: number, signal?: AbortSignal) {
  await session.send({
    what: `stop container ${id}`,
    method: "POST",
    path: `${pathOf(id)}/stop`,
    query: { t: graceSeconds },
    deadlineMs: graceSeconds * 1000 + afterGraceMs,
    alsoGood: [304, 404],
    signal,
  });
}

export async function killContainer(session: Session, id: string, signalName: string, signal?: AbortSignal) {
  const what = `send ${signalName} to container ${id}`;
  try {
    await session.find({ what, method: "POST", path: `${pathOf(id)}/kill`, query: { signal: signalName }, signal });
  } catch (error) {
    // It has ended already.
    if (!(error instanceof EngineError && error.status === 409)) throw error;
  }
}

/**
 * Somebody else asked first: it is gone when the engine no longer knows it. Or it ended just then: Podman finds nothing
 * left to kill.
 */
const isUnderWay = /already in progress|in the process of|could not be stopped: .*container state improper/;
const removalMs = 60_000;
const pollMs = 50;

export async function removeContainer(session: Session, id: string, signal?: AbortSignal): Promise<void> {
  const what = `remove container ${id}`;
  const giveUp = session.clock.monotonic() + removalMs;
  for (;;) {
    try {
      await session.find({ what, method: "DELETE", path: pathOf(id), query: { force: true, v: true }, signal });
      return;
    } catch (error) {
      if (!(error instanceof EngineError && isUnderWay.test(error.message)) || session.clock.monotonic() > giveUp)
        throw error;
    }
    await sleep(session.clock, pollMs, signal);
  }
}
