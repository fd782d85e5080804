/** Another address for a server of this machine. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

export interface Forwarder {
  readonly url: string;
  /** Ends what goes through it as well. */
  stop(): Promise<void>;
}

/** `toPort` is asked for each connection. With a certificate, whoever is there speaks plainly. */
export async function startForwarder(
  toPort: () => number,
  certificate?: { key: string; cert: string },
): Promise<Forwarder> {
  const sockets = new Set<Socket>();
  const forward = (from: Socket) => {
    const to = connect(toPort(), "127.0.0.1");
    for (const [socket, other] of [[from, to] as const, [to, from] as const]) {
      sockets.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => sockets.delete(socket));
      socket.pipe(other);
    }
  };
  const server = certificate ? createTlsServer(certificate, forward) : createServer(forward);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
