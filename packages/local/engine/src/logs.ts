/** What a container said, from the engine's keeping. */
import { askContainer } from "./containers.ts";
import { EngineError, type EngineLogOptions, type LogChunk } from "./engine.ts";
import { readFrames, readRaw } from "./frames.ts";
import type { Session } from "./session.ts";

export async function* containerLogs(
  session: Session,
  id: string,
  options: EngineLogOptions,
  signal?: AbortSignal,
): AsyncGenerator<LogChunk> {
  const what = `read the log of container ${id}`;
  const container = await askContainer(session, id, signal);
  if (!container) throw new EngineError(`cannot ${what}: there is no such container`, 404);
  const { follow, timestamps, tail, since } = options;
  const response = await session.open({
    what,
    method: "GET",
    path: `/containers/${encodeURIComponent(id)}/logs`,
    query: { stdout: true, stderr: true, follow, timestamps, tail: tail ?? "all", since },
    signal,
  });
  try {
    yield* container.Config?.Tty ? readRaw(response) : readFrames(response);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof EngineError) throw error;
    throw new EngineError(`cannot ${what}: the engine stopped answering`, 0, error);
  } finally {
    response.destroy();
  }
}
