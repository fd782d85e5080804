/**
 * What a Node process cannot let go of: its heap after a full collection, asked for over Node's own inspector. Resident
 * memory says nothing about that: V8 keeps what it once had, as long as nobody else needs it.
 */
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

const deadlineMs = 10_000;
const pollMs = 50;

/** The process was started with `--inspect-port` and that port. Its inspector is open from the first call on. */
export async function liveHeapMiB(pid: number, inspectPort: number): Promise<number> {
  process.kill(pid, "SIGUSR1");
  const socket = new WebSocket(await inspectorAt(inspectPort));
  try {
    await once(socket, "open", { signal: AbortSignal.timeout(deadlineMs) });
    await ask(socket, 1, "HeapProfiler.collectGarbage");
    const { usedSize } = (await ask(socket, 2, "Runtime.getHeapUsage")) as { usedSize: number };
    return usedSize / 2 ** 20;
  } finally {
    socket.close();
  }
}

async function inspectorAt(port: number): Promise<string> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    try {
      const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as [Target];
      return target.webSocketDebuggerUrl;
    } catch (error) {
      if (performance.now() > deadline) throw new Error(`no inspector came up on port ${port}`, { cause: error });
      await delay(pollMs);
    }
  }
}

interface Target {
  webSocketDebuggerUrl: string;
}

async function ask(socket: WebSocket, id: number, method: string): Promise<unknown> {
  const answered = once(socket, "message", { signal: AbortSignal.timeout(deadlineMs) });
  socket.send(JSON.stringify({ id, method }));
  const [{ data }] = (await answered) as [{ data: string }];
  const { result, error } = JSON.parse(data) as { result?: unknown; error?: { message: string } };
  if (error) throw new Error(`${method} was refused: ${error.message}`);
  return result;
}
