/** Checks ports before they are opened, so that a port in use is reported with the option that chooses another one. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { ConfigurationError } from "@berg/kube";

export interface WantedPort {
  host: string;
  /** 0 for any that is free. */
  port: number;
  /** The option that chooses another: `--http-port`. */
  flag: string;
  /** For what: `challenges`. */
  purpose: string;
  /** The port of the previous run: players may still have addresses with it. */
  lately: number | undefined;
}

/** The port; or where any will do, the one of the last time if that can still be had. */
export async function findPort({ host, port, flag, purpose, lately }: WantedPort): Promise<number> {
  try {
    if (port !== 0 || lately === undefined) return await tryPort(host, port);
    return await tryPort(host, lately).catch(() => tryPort(host, 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = reasons[code ?? ""] ?? "it cannot be opened";
    throw new ConfigurationError(
      `cannot listen on ${host}:${port} for ${purpose}: ${why} (${code}); choose another with ${flag}`,
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
