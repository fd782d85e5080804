/** Another address for a server of this machine. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Forwarder {
  readonly url: string;
  /** Ends what goes through it as well. */
  stop(): Promise<void>;
}

export async function startForwarder(toPort: number): Promise<Forwarder> {
  const sockets = new Set<Socket>();
  const server = createServer((from) => {
    const to = connect(toPort, "127.0.0.1");
    for (const [socket, other] of [[from, to] as const, [to, from] as const]) {
      sockets.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => sockets.delete(socket));
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
