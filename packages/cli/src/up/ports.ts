/** Ports that the gateway will open a moment later: whoever started this wants to know now that one is taken. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { ConfigurationError } from "@berg/kube";

/** The port, or for 0 any that is free. `flag` is what chooses another: `--http-port`. */
export async function findPort(host: string, port: number, flag: string): Promise<number> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = reasons[code ?? ""] ?? "it cannot be opened";
    throw new ConfigurationError(
      `cannot listen on ${host}:${port} for challenges: ${why} (${code}); choose another with ${flag}`,
    );
  } finally {
    server.close();
  }
}

const reasons: Record<string, string> = {
  EADDRINUSE: "another process does",
  EACCES: "ports below 1024 are root's",
  EADDRNOTAVAIL: "this machine does not have that address",
};
