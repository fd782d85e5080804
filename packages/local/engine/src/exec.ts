/** A command in a running container, its streams on one connection that speaks no HTTP once both have agreed. */
import type { Socket } from "node:net";
import { sleep } from "@berg/kube";
import { EngineError, type ExecOptions, type ExecSession, type LogChunk } from "./engine.ts";
import { readFrames, readRaw } from "./frames.ts";
import type { Session } from "./session.ts";

interface ExecAnswer {
  Running?: boolean;
  ExitCode?: number | null;
}

const startMs = 60_000;
const pollMs = 20;
const exitMs = 10_000;

export async function exec(session: Session, id: string, options: ExecOptions, signal?: AbortSignal) {
  const what = `run a command in container ${id}`;
  const { body } = await session.send({
    what,
    method: "POST",
    path: `/containers/${encodeURIComponent(id)}/exec`,
    json: {
      AttachStdin: options.stdin,
      AttachStdout: options.stdout,
      AttachStderr: options.stderr,
      Tty: options.tty,
      Cmd: options.command,
    },
    signal,
  });
  const path = `/exec/${(body as { Id: string }).Id}`;
  const json = { Detach: false, Tty: options.tty };
  const socket = await session.upgrade({
    ...{ what, method: "POST", path: `${path}/start`, json, deadlineMs: startMs, signal },
  });
  return new Running({ session, what, path, socket, tty: options.tty, signal });
}

interface RunningOptions {
  session: Session;
  what: string;
  path: string;
  socket: Socket;
  tty: boolean;
  signal: AbortSignal | undefined;
}

class Running implements ExecSession {
  readonly output: AsyncIterable<LogChunk>;
  readonly #options: RunningOptions;

  constructor(options: RunningOptions) {
    const { socket, signal } = options;
    this.#options = options;
    // Reported to whoever reads the output, or writes.
    socket.on("error", () => {});
    const onAbort = () => socket.destroy();
    signal?.addEventListener("abort", onAbort, { once: true });
    socket.on("close", () => signal?.removeEventListener("abort", onAbort));
    if (signal?.aborted) onAbort();
    this.output = this.#read();
  }

  async write(bytes: Uint8Array): Promise<void> {
    const { socket, what, signal } = this.#options;
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      socket.write(bytes, (error) =>
        error ? reject(new EngineError(`cannot ${what}: it takes no more input`, 0, error)) : resolve(),
      );
    });
  }

  endInput(): void {
    this.#options.socket.end();
  }

  async resize(columns: number, rows: number): Promise<void> {
    const { session, path, signal } = this.#options;
    const query = { w: columns, h: rows };
    await session.send({ what: "resize a terminal", method: "POST", path: `${path}/resize`, query, signal });
  }

  async exitCode(): Promise<number> {
    const { session, what, path, signal } = this.#options;
    const giveUp = session.clock.monotonic() + exitMs;
    for (;;) {
      const { body } = await session.send({ what, method: "GET", path: `${path}/json`, signal });
      const { Running: isRunning, ExitCode: code } = body as ExecAnswer;
      if (!isRunning && typeof code === "number") return code;
      // Its output ends a moment before the engine has noticed its end.
      if (session.clock.monotonic() > giveUp) throw new EngineError(`cannot ${what}: its end is not known`, 0);
      await sleep(session.clock, pollMs, signal);
    }
  }

  close(): void {
    this.#options.socket.destroy();
  }

  async *#read(): AsyncGenerator<LogChunk> {
    const { socket, tty, what, signal } = this.#options;
    try {
      yield* tty ? readRaw(socket) : readFrames(socket);
      signal?.throwIfAborted();
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof EngineError) throw error;
      throw new EngineError(`cannot ${what}: the engine stopped answering`, 0, error);
    }
  }
}
