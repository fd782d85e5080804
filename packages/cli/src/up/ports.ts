/** Ports that the gateway will open a moment later: whoever started this wants to know now that one is taken. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { ConfigurationError } from "@berg/kube";

export interface WantedPort {
  host: string;
  /** 0 for any that is free. */
  port: number;
  /** What chooses another: `--http-port`. */
  flag: string;
  /** The one of the last time, which instances that still run have told their players. */
  lately: number | undefined;
}

/** The port; or where any will do, the one of the last time if that can still be had. */
export async function findPort({ host, port, flag, lately }: WantedPort): Promise<number> {
  try {
    if (port !== 0 || lately === undefined) return await tryPort(host, port);
    return await tryPort(host, lately).catch(() => tryPort(host, 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = reasons[code ?? ""] ?? "it cannot be opened";
    throw new ConfigurationError(
      `cannot listen on ${host}:${port} for challenges: ${why} (${code}); choose another with ${flag}`,
    );
  }
}

async function tryPort(host: string, port: number): Promise<number> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  } finally {
    server.close();
  }
}

const reasons: Record<string, string> = {
  EADDRINUSE: "another process does",
  EACCES: "ports below 1024 are root's",
  EADDRNOTAVAIL: "this machine does not have that address",
};
