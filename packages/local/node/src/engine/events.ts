/** What happens to containers, as the engine tells it. */
import { EngineError, type EngineEvent, type Labels } from "./engine.ts";
import { filtersOf } from "./filters.ts";
import { readJsonLines } from "./json-lines.ts";
import type { Session } from "./session.ts";

interface EventAnswer {
  Action?: string;
  Actor?: { ID?: string; Attributes?: Readonly<Record<string, string>> | null };
}

/** Podman's own words for what Docker calls otherwise. */
const actions: Readonly<Record<string, string>> = { died: "die", remove: "destroy" };

/**
 * The engine is asked at once, and for what happened since then: whoever looks at the containers after this call and
 * then reads the events has missed nothing, however late the engine answers.
 */
export function containerEvents(session: Session, labels: Labels, signal: AbortSignal): AsyncIterable<EngineEvent> {
  const what = "follow what happens to containers";
  const opened = session.open({
    what,
    method: "GET",
    path: "/events",
    query: { filters: filtersOf(labels, { type: ["container"] }), since: Math.floor(session.clock.now() / 1000) },
    signal,
  });
  // Reported to whoever reads the events.
  opened.catch(() => {});
  return {
    async *[Symbol.asyncIterator]() {
      const response = await opened;
      try {
        for await (const line of readJsonLines(response)) yield eventOf(line as EventAnswer);
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

function eventOf({ Action: action = "", Actor: actor }: EventAnswer): EngineEvent {
  return { containerId: actor?.ID ?? "", action: actions[action] ?? action, labels: actor?.Attributes ?? {} };
}
