/** What happens to containers and networks, as the engine tells it. */
import { EngineError, type EngineEvent, type Labels, type NetworkEvent } from "./engine.ts";
import { filtersOf } from "./filters.ts";
import { readJsonLines } from "./json-lines.ts";
import type { Session } from "./session.ts";

interface EventAnswer {
  Action?: string;
  Actor?: { ID?: string; Attributes?: Readonly<Record<string, string>> | null };
}

/** Podman's own words for what Docker calls otherwise. */
const actions: Readonly<Record<string, string>> = { died: "die", remove: "destroy" };

export function containerEvents(session: Session, labels: Labels, signal: AbortSignal): AsyncIterable<EngineEvent> {
  const filters = filtersOf(labels, { type: ["container"] });
  return follow(
    session,
    "follow what happens to containers",
    filters,
    signal,
    ({ Action: action = "", Actor: actor }) => {
      const { ID: containerId = "", Attributes } = actor ?? {};
      const labels = Attributes ?? {};
      const event = { containerId, action: actions[action] ?? action, labels };
      return isOutOfMemory(session, event) ? { ...event, isOutOfMemory: true } : event;
    },
  );
}

/** Docker has an event for it. Podman has none, and a container that is removed at its end cannot be asked any more. */
function isOutOfMemory(session: Session, { containerId, action, labels }: EngineEvent): boolean {
  return action === "die" && labels.containerExitCode === killed && session.oomLog.killed(containerId);
}

/** By SIGKILL, as Podman says it. */
const killed = "137";

export function networkEvents(session: Session, signal: AbortSignal): AsyncIterable<NetworkEvent> {
  const filters = filtersOf({}, { type: ["network"] });
  return follow(
    session,
    "follow what happens to networks",
    filters,
    signal,
    ({ Action: action = "", Actor: actor }) => {
      // Docker tells of the network, and names the container beside it; Podman tells of the container alone.
      const { container, type } = actor?.Attributes ?? {};
      const id = actor?.ID ?? "";
      return {
        action: actions[action] ?? action,
        networkId: type ? id : "",
        containerId: container ?? (type ? "" : id),
      };
    },
  );
}

/**
 * The engine is asked at once, and for what happened since then: whoever looks at the containers after this call and
 * then reads the events has missed nothing, however late the engine answers.
 */
function follow<T>(
  session: Session,
  what: string,
  filters: string,
  signal: AbortSignal,
  read: (answer: EventAnswer) => T,
): AsyncIterable<T> {
  const since = Math.floor(session.clock.now() / 1000);
  const opened = session.open({ what, method: "GET", path: "/events", query: { filters, since }, signal });
  // Reported to whoever reads the events.
  opened.catch(() => {});
  return {
    async *[Symbol.asyncIterator]() {
      const response = await opened;
      try {
        for await (const line of readJsonLines(response)) yield read(line as EventAnswer);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof EngineError) throw error;
        throw new EngineError(`cannot ${what}: the engine stopped answering`, 0, error);
      } finally {
        response.destroy();
      }
    },
  };
}
