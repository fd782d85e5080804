/**
 * A command's streams on one WebSocket, as kubectl carries them (`v5.channel.k8s.io`): the first byte of a message says
 * which stream it is of. The last message is a Status that says how the command ended.
 */
import { type Status, StatusError } from "@berg/apimachinery";
import type { WebSocket } from "ws";
import { internalError } from "../errors/refusals.ts";
import type { ExecOptions, ExecSession } from "./nodes.ts";

export const remoteCommandProtocol = "v5.channel.k8s.io";

const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** Resolves when the command has ended, or the client is gone. */
export async function carry(
  socket: WebSocket,
  session: ExecSession,
  options: ExecOptions,
  signal: AbortSignal,
): Promise<void> {
  const leave = () => socket.terminate();
  signal.addEventListener("abort", leave, { once: true });
  const gone = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const ended = new Promise<void>((resolve) => {
    void gone.then(() => {
      session.close();
      resolve();
    });
  });
  try {
    listen(socket, session, options);
    // Tells the client that it is connected.
    const first = options.stdout ? channel.stdout : options.stderr ? channel.stderr : channel.error;
    await send(socket, first, new Uint8Array());
    await Promise.race([tell(socket, session, options), ended]);
    socket.close(1000);
    await gone;
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

async function tell(socket: WebSocket, session: ExecSession, { stdout, stderr }: ExecOptions): Promise<void> {
  let status: Status;
  try {
    for await (const { stream, bytes } of session.output) {
      if (stream === "stdout" ? stdout : stderr) await send(socket, channel[stream], bytes);
    }
    status = statusOf(await session.exitCode());
  } catch (error) {
    status = error instanceof StatusError ? error.status : internalError("the command could not be followed").status;
  }
  await send(socket, channel.error, Buffer.from(JSON.stringify(status)));
}

/** What the client sends is taken no faster than the command reads it. */
function listen(socket: WebSocket, session: ExecSession, { stdin }: ExecOptions): void {
  socket.on("error", () => socket.terminate());
  socket.on("message", (data: Buffer, isBinary: boolean) => {
    const [which] = data;
    const rest = data.subarray(1);
    if (!isBinary || which === undefined) return;
    if (which === channel.close && rest[0] === channel.stdin) return session.endInput();
    if (which === channel.resize) return resize(session, rest);
    if (which !== channel.stdin || !stdin) return;
    socket.pause();
    void session.write(rest).then(
      () => socket.resume(),
      // A command that has closed its input is not a reason to stop listening to it.
      () => socket.resume(),
    );
  });
}

function resize(session: ExecSession, text: Buffer): void {
  try {
    const { Width: columns, Height: rows } = JSON.parse(text.toString()) as { Width?: number; Height?: number };
    if (columns && rows) session.resize(columns, rows).catch(() => {});
  } catch {
    // No size can be read from it; the terminal keeps the one it has.
  }
}

/** Resolves when there is room for more. */
function send(socket: WebSocket, which: number, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => socket.send(Buffer.concat([Buffer.of(which), bytes]), () => resolve()));
}

function statusOf(exitCode: number): Status {
  if (exitCode === 0) return { metadata: {}, status: "Success" } as Status;
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(exitCode) }] },
  } as Status;
}
