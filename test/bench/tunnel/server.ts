/**
 * The server at the far end of every contender, in a process of its own. The first byte of a connection says what it is
 * for. It runs in a pod as well, and so imports nothing but what is put into that image (contenders/pod-image.ts).
 */
import { type AddressInfo, createServer, type Socket } from "node:net";
import { report, settingsOf } from "../runtime/child.ts";

export interface ServerSettings {
  host: string;
  /** 0 is any that is free. */
  port: number;
}

export interface RunningServer {
  port: number;
  pid: number;
}

/** Large, so that it is not the calls that are measured. */
const chunk = Buffer.alloc(256 * 1024);
/** One byte says that so many came: the sender then counts what arrived, not what it handed to its kernel. */
const acknowledgedBytes = 1024 * 1024;

const uses: Record<string, (socket: Socket, first: Buffer) => void> = {
  e: echo,
  d: download,
  u: upload,
};

const { host, port } = settingsOf<ServerSettings>();
const server = createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => socket.destroy());
  socket.once("data", (first) => {
    const use = uses[String.fromCharCode(first[0] as number)];
    if (use) use(socket, first.subarray(1));
    else socket.destroy();
  });
});
server.listen({ host, port, backlog: 4096 }, () => {
  const running: RunningServer = { port: (server.address() as AddressInfo).port, pid: process.pid };
  report(running);
});

function echo(socket: Socket, first: Buffer): void {
  if (first.length > 0) socket.write(first);
  socket.on("data", (data) => socket.write(data));
}

function download(socket: Socket): void {
  const fill = () => {
    while (socket.writable && socket.write(chunk));
  };
  socket.on("drain", fill);
  socket.resume();
  fill();
}

function upload(socket: Socket, first: Buffer): void {
  let unsaid = 0;
  const count = (data: Buffer) => {
    unsaid += data.length;
    if (unsaid < acknowledgedBytes) return;
    socket.write(Buffer.alloc(Math.floor(unsaid / acknowledgedBytes)));
    unsaid %= acknowledgedBytes;
  };
  count(first);
  socket.on("data", count);
}
